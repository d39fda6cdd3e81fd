//! The catalogue of reproductions: the papers, and the scenarios, which are part of the program so that it needs no
//! folder to find them.

/// A publication whose tables and figures are reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paper {
    /// The number by which scenarios name it.
    pub id: &'static str,
    /// Its authors; empty where our copy does not say.
    pub authors: &'static str,
    /// Its title.
    pub title: &'static str,
    /// When it appeared.
    pub year: &'static str,
    /// What it is about, and what became of it here, in plain words.
    pub summary: &'static str,
}

/// The papers, in the order in which they are shown.
pub const PAPERS: [Paper; 5] = [
    Paper {
        id: "000",
        authors: "V. Toporkov, D. Yemelyanov, A. Toporkova, A. Bobchenkov",
        title: "Resource Co-allocation Algorithms for Job Batch Scheduling in Dependable Distributed Computing",
        year: "2011",
        summary: "A job that needs several machines at once has to find a moment when enough of them are idle. The paper compares two searches for such moments: one that limits the price of each machine (ALP), and one that limits the price of all of them together (AMP). It finds that the second offers far more choices, with which batches run about a third shorter for somewhat more money. The experiment is described closely enough to be repeated; where the text can be read in more than one way, the reading that brings most of its numbers is used.",
    },
    Paper {
        id: "002",
        authors: "",
        title: "The journal version of 000: slot selection for batches of jobs",
        year: "2010/11",
        summary: "The journal version of the same work, with the declarations of a program that bear on some of the readings. Its numbers are those of the paper above, and are counted there.",
    },
    Paper {
        id: "001",
        authors: "V. Toporkov, A. Tselishchev, D. Yemelyanov, A. Bobchenkov",
        title: "Composite Scheduling Strategies in Distributed Computing with Non-dedicated Resources",
        year: "2012",
        summary: "Two levels of scheduling: a metascheduler chooses idle times for batches of jobs, and a scheduler for each job places its tasks. The paper measures what it is worth to choose the best combination instead of any, and what overlapping jobs save. Its environments are not in print, so ours are fitted: that levels match shows that such environments exist, and little more. What remains to be tested are the signs and sizes of the effects.",
    },
    Paper {
        id: "003",
        authors: "S. Garg, P. Konugurthi, R. Buyya",
        title: "A Linear Programming Driven Genetic Algorithm for Meta-Scheduling on Utility Grids",
        year: "2008",
        summary: "A broker places the jobs of many users on rented machines at the least total cost. The paper seeds a genetic algorithm with the answer of a linear program and compares it with a greedy start. With the algorithm as printed its advantage over the greedy start comes out; with a better genetic algorithm it would vanish. Its only table of numbers fits the printed model under no setting, and comes out under one generous reading.",
    },
    Paper {
        id: "004",
        authors: "K. Kurowski, J. Nabrzyski, A. Oleksiak, J. Węglarz",
        title: "Scheduling Jobs on the Grid: Multicriteria Approach",
        year: "2006",
        summary: "Users and providers want different things of a schedule: cheap, fast, early, reliable. The paper gives formulas for a compromise between all of them, and two worked examples. The examples can be recomputed cell by cell.",
    },
];

/// A scenario that reproduces something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CatalogueEntry {
    /// The scenario's name.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
    /// The number of replications that a quick run makes.
    pub quick: u64,
    /// About how many seconds a full run takes on two cores. Only the progress bar looks at it.
    pub seconds: f64,
}

/// One line for each scenario: its name, the replications of a quick run, and the seconds of a full one.
macro_rules! entries {
    ($($name:literal: quick $quick:literal, seconds $seconds:literal;)*) => {
        &[$(CatalogueEntry {
            name: $name,
            text: include_str!(concat!("../../scenarios/", $name, ".ron")),
            quick: $quick,
            seconds: $seconds,
        }),*]
    };
}

/// The scenarios that name a publication as their `source`, in the order in which they are run and shown.
pub const ENTRIES: &[CatalogueEntry] = entries! {
    "amp-example": quick 1, seconds 0.1;
    "alp-vs-amp": quick 2500, seconds 4.0;
    "budget-factor": quick 400, seconds 4.0;
    "search-cost": quick 4, seconds 6.0;
    "window-criteria": quick 20, seconds 2.0;
    "opt-vs-no-opt": quick 500, seconds 2.5;
    "two-tier-table": quick 2, seconds 13.0;
    "interval-factor": quick 20, seconds 24.0;
    "resource-availability": quick 100, seconds 7.0;
    "six-tasks": quick 1, seconds 0.1;
    "lpga-mgn": quick 80, seconds 6.0;
    "lpga-tight": quick 40, seconds 17.0;
    "lpga-medium": quick 6, seconds 25.0;
    "lpga-relaxed": quick 6, seconds 29.0;
    "lpga-generations": quick 15, seconds 22.0;
    "lpga-price-spread": quick 5, seconds 27.0;
    "multicriteria-model-i": quick 1, seconds 0.1;
    "multicriteria-model-ii": quick 1, seconds 0.1;
};
