//! Where the memory of every lease lies, in one flat array.

use octopus_design::MpdId;

use crate::flow::{Cut, Wiring};
use crate::num::index_u32;
use crate::policy::Lease;
use crate::{Error, Result};

/// A lease has a cell for each link of its server.
#[derive(Clone, Debug)]
pub(crate) struct Leases {
    /// Cells a lease has in `gib`: the most MPDs a server reaches.
    stride: usize,
    gib: Vec<u32>,
    /// The server of each lease, or [`FREE`].
    holder: Vec<u32>,
    free: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl Leases {
    pub(crate) fn new(stride: usize) -> Self {
        Self { stride, gib: Vec::new(), holder: Vec::new(), free: Vec::new() }
    }

    /// A free slot for a server, all its cells 0.
    pub(crate) fn open(&mut self, server: usize) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.holder.push(FREE);
            self.gib.resize(self.holder.len() * self.stride, 0);
            index_u32(self.holder.len() - 1)
        });
        self.holder[slot as usize] = index_u32(server);
        slot
    }

    pub(crate) fn cells(&self, slot: u32) -> &[u32] {
        let at = slot as usize * self.stride;
        &self.gib[at..at + self.stride]
    }

    pub(crate) fn cells_mut(&mut self, slot: u32) -> &mut [u32] {
        let at = slot as usize * self.stride;
        &mut self.gib[at..at + self.stride]
    }

    /// The server that holds a lease.
    pub(crate) fn holder(&self, lease: &Lease) -> Result<usize> {
        match self.holder.get(lease.number() as usize) {
            Some(&server) if server != FREE => Ok(server as usize),
            _ => Err(Error::UnknownLease { lease: lease.number() }),
        }
    }

    /// Gives a lease's memory back to the loads, and says how much it was.
    pub(crate) fn release(
        &mut self,
        lease: &Lease,
        wiring: &Wiring,
        loads: &mut [u32],
    ) -> Result<u32> {
        let server = self.holder(lease)?;
        let mut freed = 0;
        let links = wiring.links(server);
        for (cell, &mpd) in self.cells_mut(lease.number()).iter_mut().zip(&wiring.mpd[links]) {
            loads[mpd as usize] -= *cell;
            freed += *cell;
            *cell = 0;
        }
        self.close(lease.number());
        Ok(freed)
    }

    /// Where a lease's memory lies: MPDs ascending, each with its GiB.
    pub(crate) fn shares(&self, lease: &Lease, wiring: &Wiring) -> Result<Vec<(MpdId, u32)>> {
        let mpds = &wiring.mpd[wiring.links(self.holder(lease)?)];
        let held = mpds.iter().zip(self.cells(lease.number())).filter(|(_, gib)| **gib > 0);
        Ok(held.map(|(&mpd, &gib)| (MpdId(mpd as usize), gib)).collect())
    }

    /// Forgets what lay on links that were cut, takes it off the MPD's load, and
    /// says how much it was.
    pub(crate) fn cut(&mut self, cuts: &[Cut], load: &mut u32) -> u32 {
        let mut of_server: Vec<Option<&Cut>> = Vec::new();
        for cut in cuts {
            of_server.resize(of_server.len().max(cut.server + 1), None);
            of_server[cut.server] = Some(cut);
        }
        for (cells, &server) in self.gib.chunks_exact_mut(self.stride.max(1)).zip(&self.holder) {
            if let Some(Some(Cut { links, at, .. })) = of_server.get(server as usize) {
                let (at, links) = (at - links.start, links.len());
                cells[at] = 0;
                cells[at..links].rotate_left(1);
            }
        }
        std::mem::take(load)
    }

    /// Frees a slot, whose cells are 0 again.
    pub(crate) fn close(&mut self, slot: u32) {
        self.holder[slot as usize] = FREE;
        self.free.push(slot);
    }
}
