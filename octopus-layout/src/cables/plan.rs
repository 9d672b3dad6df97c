//! Every cable of a placed pod.

use octopus_design::{MpdId, ServerId, Topology};

use crate::geometry::EPSILON_M;
use crate::{Error, Geometry, MpdPlace, Placement, PriceList, Result, ServerPlace, Sku};

/// One cable, both its ends, and what to buy for it.
///
/// ```
/// # use octopus_design::{ServerId, Topology};
/// # use octopus_layout::{Geometry, MpdPlace, Placement, PriceList, Rack, ServerPlace, plan};
/// let pod = Topology::new("pair", 1, 2, 2, [[0, 1]])?;
/// let server = |slot| ServerPlace { rack: Rack::Left, slot };
/// let placement =
///     Placement { servers: vec![server(3), server(1)], mpds: vec![MpdPlace { slot: 2, position: 0 }] };
/// let plan = plan(&pod, &Geometry::default(), &placement, &PriceList::default())?;
/// let first = plan.cables()[0];
/// assert_eq!((first.server, first.server_port, first.mpd_port), (ServerId(1), 0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cable {
    /// The server end.
    pub server: ServerId,
    /// Where that server stands.
    pub server_place: ServerPlace,
    /// Its port, from 0.
    pub server_port: usize,
    /// The MPD end.
    pub mpd: MpdId,
    /// Where that MPD stands.
    pub mpd_place: MpdPlace,
    /// Its port, from 0.
    pub mpd_port: usize,
    /// The way between the ports, metres; without the service loop.
    pub length_m: f64,
    /// What to buy.
    pub sku: Sku,
}

/// Every cable of a placed pod, as a technician plugs them in: the left rack
/// first, from the bottom, port by port.
///
/// # Examples
///
/// ```
/// use octopus_design::Topology;
/// use octopus_layout::{Geometry, MpdPlace, Placement, PriceList, Rack, ServerPlace, plan};
///
/// let pod = Topology::new("pair", 1, 2, 2, [[0, 1]])?;
/// let placement = Placement {
///     servers: vec![
///         ServerPlace { rack: Rack::Right, slot: 0 },
///         ServerPlace { rack: Rack::Left, slot: 0 },
///     ],
///     mpds: vec![MpdPlace { slot: 0, position: 0 }],
/// };
/// let plan = plan(&pod, &Geometry::default(), &placement, &PriceList::default())?;
/// assert_eq!(
///     plan.to_csv(),
///     "server,server_rack,server_slot,server_port,mpd,mpd_rack,mpd_slot,mpd_position,mpd_port,\
///      length_m,sku_m,awg,price_usd\n\
///      1,left,0,0,0,middle,0,0,0,0.075,0.500,30,23.00\n\
///      0,right,0,0,0,middle,0,0,1,0.525,0.750,28,29.00\n",
/// );
/// assert_eq!((plan.total_usd(), plan.usd_per_server(&pod)), (52.0, 26.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    cables: Vec<Cable>,
    skus: Vec<Sku>,
}

/// The cables of a placed pod: one a link, each the cheapest that reaches
/// (section 3, Figure 3).
///
/// A server's ports are numbered as the other ends lie, from the bottom and
/// then from the left; an MPD's likewise, the left rack's servers first, so
/// that cables do not cross needlessly. A box with more links than ports gets
/// port numbers it does not have: `octopus_design::verify` is what judges a
/// topology's claims.
///
/// # Errors
///
/// Those of [`Geometry::check`] and [`Placement::check`]; [`Error::NoCable`]
/// where no cable that is sold reaches.
///
/// # Examples
///
/// ```
/// use octopus_design::Topology;
/// use octopus_layout::{Geometry, MpdPlace, Placement, PriceList, Rack, ServerPlace, plan};
///
/// let pod = Topology::new("far", 1, 1, 1, [[0]])?;
/// let placement = Placement {
///     servers: vec![ServerPlace { rack: Rack::Left, slot: 47 }],
///     mpds: vec![MpdPlace { slot: 0, position: 0 }],
/// };
/// let wrong = plan(&pod, &Geometry::default(), &placement, &PriceList::default()).unwrap_err();
/// assert_eq!(
///     wrong.to_string(),
///     "the cable from S0 to P0 is 2.425 m, longer than the longest sold, 1.5 m",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan(
    pod: &Topology,
    geometry: &Geometry,
    placement: &Placement,
    prices: &PriceList,
) -> Result<Plan> {
    geometry.check()?;
    placement.check(pod, geometry)?;
    let ports = Ports::new(pod, placement);
    let mut cables = Vec::with_capacity(pod.links());
    for mpd in pod.mpd_ids() {
        for server in pod.servers_of(mpd) {
            let length_m = placement.length_m(geometry, server, mpd);
            let sku = *prices.sku(length_m).ok_or(Error::NoCable {
                server,
                mpd,
                length_m: length_m + prices.service_loop_m(),
                longest_m: prices.longest_m(),
            })?;
            cables.push(Cable {
                server,
                server_place: placement.servers[server.index()],
                server_port: port(&ports.of_server[server.index()], &mpd),
                mpd,
                mpd_place: placement.mpds[mpd.index()],
                mpd_port: port(&ports.of_mpd[mpd.index()], &server),
                length_m,
                sku,
            });
        }
    }
    cables.sort_by_key(|cable| (cable.server_place, cable.server_port));
    Ok(Plan { cables, skus: prices.skus().to_vec() })
}

/// What each port of each box is wired to.
struct Ports {
    of_server: Vec<Vec<MpdId>>,
    of_mpd: Vec<Vec<ServerId>>,
}

impl Ports {
    fn new(pod: &Topology, placement: &Placement) -> Self {
        let of_server = pod.server_ids().map(|server| {
            let mut mpds: Vec<MpdId> = pod.mpds_of(server).collect();
            mpds.sort_by_key(|mpd| placement.mpds[mpd.index()]);
            mpds
        });
        let of_mpd = pod.mpd_ids().map(|mpd| {
            let mut servers: Vec<ServerId> = pod.servers_of(mpd).collect();
            servers.sort_by_key(|server| placement.servers[server.index()]);
            servers
        });
        Self { of_server: of_server.collect(), of_mpd: of_mpd.collect() }
    }
}

fn port<T: PartialEq>(ends: &[T], end: &T) -> usize {
    ends.iter().take_while(|other| *other != end).count()
}

impl Plan {
    /// The cables: the left rack's first, from the bottom, port by port.
    #[must_use]
    pub fn cables(&self) -> &[Cable] {
        &self.cables
    }

    /// What all cables cost, dollars; added up in cents, so exact.
    #[must_use]
    pub fn total_usd(&self) -> f64 {
        let cents: u64 = self.cables.iter().map(|cable| cable.sku.cents()).sum();
        cents as f64 / 100.0
    }

    /// What a server's cables cost on average, dollars.
    #[must_use]
    pub fn usd_per_server(&self, pod: &Topology) -> f64 {
        self.total_usd() / pod.servers() as f64
    }

    /// The longest cable, the first of them; none where the pod has no links.
    ///
    /// ```
    /// # use octopus_design::Topology;
    /// # use octopus_layout::{Geometry, MpdPlace, Placement, PriceList, Rack, ServerPlace, plan};
    /// let pod = Topology::new("one", 1, 1, 1, [[0]])?;
    /// let placement = Placement {
    ///     servers: vec![ServerPlace { rack: Rack::Left, slot: 1 }],
    ///     mpds: vec![MpdPlace { slot: 0, position: 0 }],
    /// };
    /// let plan = plan(&pod, &Geometry::default(), &placement, &PriceList::default())?;
    /// assert!(plan.longest().is_some_and(|cable| (cable.length_m - 0.125).abs() < 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn longest(&self) -> Option<&Cable> {
        let longer = |a: &Cable, b: &Cable| b.length_m > a.length_m + EPSILON_M;
        self.cables.iter().reduce(|a, b| if longer(a, b) { b } else { a })
    }

    /// How many of each cable on the price list to buy, shorter ones first,
    /// zero for those not needed.
    ///
    /// ```
    /// # use octopus_design::Topology;
    /// # use octopus_layout::{Geometry, MpdPlace, Placement, PriceList, Rack, ServerPlace, plan};
    /// let pod = Topology::new("one", 1, 1, 1, [[0]])?;
    /// let placement = Placement {
    ///     servers: vec![ServerPlace { rack: Rack::Left, slot: 0 }],
    ///     mpds: vec![MpdPlace { slot: 0, position: 3 }],
    /// };
    /// let plan = plan(&pod, &Geometry::default(), &placement, &PriceList::default())?;
    /// let counts: Vec<usize> = plan.counts().iter().map(|(_, count)| *count).collect();
    /// assert_eq!(counts, [0, 1, 0, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn counts(&self) -> Vec<(Sku, usize)> {
        let of = |sku: &Sku| self.cables.iter().filter(|cable| cable.sku == *sku).count();
        self.skus.iter().map(|sku| (*sku, of(sku))).collect()
    }

    /// As CSV, one row a cable: `cabling.csv` of `cargo xtask place`.
    ///
    /// Metres have three decimals, dollars two. See [`Plan`] for the columns.
    ///
    /// # Panics
    ///
    /// Never: writing to memory does not fail.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut csv = csv::Writer::from_writer(Vec::new());
        let mut row = |fields: [&str; 13]| {
            csv.write_record(fields).expect("writing to memory does not fail");
        };
        row([
            "server",
            "server_rack",
            "server_slot",
            "server_port",
            "mpd",
            "mpd_rack",
            "mpd_slot",
            "mpd_position",
            "mpd_port",
            "length_m",
            "sku_m",
            "awg",
            "price_usd",
        ]);
        for cable in &self.cables {
            let whole = usize::to_string;
            row([
                &whole(&cable.server.index()),
                &cable.server_place.rack.to_string(),
                &whole(&cable.server_place.slot),
                &whole(&cable.server_port),
                &whole(&cable.mpd.index()),
                "middle",
                &whole(&cable.mpd_place.slot),
                &whole(&cable.mpd_place.position),
                &whole(&cable.mpd_port),
                &format!("{:.3}", cable.length_m),
                &format!("{:.3}", cable.sku.length_m),
                &cable.sku.awg.to_string(),
                &format!("{:.2}", cable.sku.price_usd),
            ]);
        }
        let bytes = csv.into_inner().expect("writing to memory does not fail");
        String::from_utf8(bytes).expect("the fields are text")
    }
}
