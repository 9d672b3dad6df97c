//! What N-port MPDs can build, and how a design is found from its symmetry.
//!
//! `cargo run --example block_design [N]` (default 6)

use octopus_design::block::{self, AbelianGroup, BlockDesign, Symmetry};

fn main() -> octopus_design::Result<()> {
    let argument = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let block_size: usize = argument.unwrap_or(6);
    println!("islands of {block_size}-port MPDs, servers of up to 16 ports:");
    for (servers, existence) in block::sizes(block_size, 16) {
        let built = if existence.constructed { "built" } else { "-" };
        println!("{servers:>5} {:<8}{built:<6}{}", existence.answer, existence.reason);
    }

    // Under the rotations of Z19 and the cube roots of 1, six blocks say it all.
    let group = AbelianGroup::new(&[19])?;
    let symmetry = Symmetry::with_multiplier(&group, 4, 0, &[7], &[0, 2, 3, 1])?;
    let base = block::search(&symmetry, 6, 0, 1_000_000)?;
    let design = BlockDesign::new(76, 6, symmetry.develop(&base), "found by search")?;
    println!("\n{} base blocks give the {} MPDs of 76 servers:", base.len(), design.blocks().len());
    for block in base {
        println!("{block:?}");
    }
    Ok(())
}
