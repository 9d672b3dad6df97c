//! Names of the things in a pod. A server is never mistaken for an MPD.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $letter:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub usize);

        impl $name {
            /// The position in the pod's lists, from 0.
            ///
            /// # Examples
            ///
            /// ```
            /// use octopus_design::{IslandId, MpdId, ServerId};
            /// assert_eq!((ServerId(7).index(), MpdId(9).index(), IslandId(2).index()), (7, 9, 2));
            /// ```
            #[must_use]
            pub const fn index(self) -> usize {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    };
}

id!(
    /// A server (or a socket treated as one), numbered from 0.
    ///
    /// ```
    /// use octopus_design::ServerId;
    /// assert_eq!(ServerId(7).to_string(), "S7");
    /// ```
    ServerId,
    "S"
);
id!(
    /// A multi-ported CXL memory device, numbered from 0.
    ///
    /// ```
    /// use octopus_design::MpdId;
    /// assert_eq!(MpdId(7).to_string(), "P7");
    /// ```
    MpdId,
    "P"
);
id!(
    /// An island: a group of servers of which every pair shares an MPD.
    ///
    /// ```
    /// use octopus_design::IslandId;
    /// assert_eq!(IslandId(1).to_string(), "I1");
    /// ```
    IslandId,
    "I"
);
