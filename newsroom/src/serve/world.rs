//! Ready-made worlds: a small lively one for demonstrations, and large uniform ones for measurements.

use pergola_refresh::{DAY, HOUR, WEEK};

use super::{Builder, Clock, Format, Newsroom, Source};
use crate::{KeywordSet, Process, Rhythm, random_stream};

/// Sources and the seed that makes them publish.
#[derive(Debug, Clone)]
pub struct World {
    pub seed: u64,
    pub sources: Vec<Source>,
}

impl World {
    /// Forty sources with mixed habits and topics: newspapers and people who write by day, robots on
    /// the hour, bursts when something happens, and quiet blogs.
    pub fn demo(seed: u64) -> Self {
        let sources = DEMO.iter().enumerate().map(|(number, row)| row.source(number)).collect();
        Self { seed, sources }
    }

    /// `count` sources that all publish at the same constant rate, each with a few topics, in RSS, with a window of
    /// 20 items. [`World::each`] changes them further.
    pub fn uniform(seed: u64, count: usize, items_per_day: f64) -> Self {
        let dictionary = KeywordSet::dictionary(super::TOPICS.len());
        let source = |number: usize| {
            let profile = dictionary.draw(4, &mut random_stream(!seed, number as u64));
            Source::new(
                format!("source-{number:06}"),
                Process::Constant { rate: items_per_day / DAY },
            )
            .profile(profile, 0.4)
        };
        Self { seed, sources: (0..count).map(source).collect() }
    }

    /// The same world with every source changed.
    #[must_use]
    pub fn each(self, change: impl FnMut(Source) -> Source) -> Self {
        Self { sources: self.sources.into_iter().map(change).collect(), ..self }
    }

    /// The name, title and topics of each source.
    pub fn about(&self) -> impl Iterator<Item = (&str, String, Vec<&'static str>)> {
        self.sources.iter().map(|source| {
            let topics = source.profile.iter().filter_map(|topic| super::TOPICS.get(topic));
            (&*source.name, source.shown_title().into_owned(), topics.copied().collect())
        })
    }

    /// A newsroom with these sources, still to be built.
    pub fn newsroom(self, clock: Clock) -> Builder {
        Newsroom::builder(clock).seed(self.seed).sources(self.sources)
    }
}

/// How the sources of the demonstration publish; numbers are items per day unless stated otherwise.
#[derive(Debug, Clone, Copy)]
enum Habit {
    /// People: a working day that begins so many hours later than in London.
    People(f64, usize),
    /// Robots: everything in the first minutes of every so many hours.
    OnTheHour(f64, f64),
    /// From all the world, at all hours.
    RoundTheClock(f64),
    /// So many bursts a day, of so many items each.
    Bursts(f64, f64),
    /// So many items a week, on weekday mornings of the author's choice.
    Weekly(f64),
}

impl Habit {
    fn process(self, number: usize) -> Process {
        match self {
            Self::People(daily, shift) => Process::daily(Rhythm::Waves, daily, shift),
            Self::OnTheHour(daily, hours) => {
                // Slots of two minutes, of which only the first is busy.
                let mut rates = vec![0.0; (hours * 30.0) as usize];
                rates[0] = daily * hours * HOUR / DAY / 120.0;
                Process::Periodic { rates, period: hours * HOUR }
            }
            Self::RoundTheClock(daily) => Process::Constant { rate: daily / DAY },
            Self::Bursts(daily, size) => Process::Bursts { rate: daily / DAY, size, spread: 900.0 },
            Self::Weekly(items) => {
                // One morning of three hours in the week, another one for each source.
                let mut rates = vec![0.0; 56];
                rates[number * 8 % 56 + 3] = items / (3.0 * HOUR);
                Process::Periodic { rates, period: WEEK }
            }
        }
    }
}

/// One source of the demonstration.
struct Row(&'static str, &'static str, Habit, usize, &'static [&'static str]);

impl Row {
    fn source(&self, number: usize) -> Source {
        let Self(name, title, habit, window, topics) = *self;
        let format = [Format::Rss, Format::Atom, Format::Rss, Format::Json][number % 4];
        let share = if topics.len() > 3 { 0.35 } else { 0.55 };
        Source::new(name, habit.process(number))
            .title(title)
            .window(window)
            .format(format)
            .topics(topics, share)
            .text_bytes(250 + number % 5 * 150)
    }
}

use Habit::{Bursts, OnTheHour, People, RoundTheClock, Weekly};

#[rustfmt::skip]
const DEMO: [Row; 40] = [
    Row("morning-courier", "The Morning Courier", People(90.0, 0), 30, &["elections", "economy", "football", "weather", "theatre"]),
    Row("evening-post", "The Evening Post", People(60.0, 4), 25, &["elections", "health", "railways", "cinema"]),
    Row("coast-herald", "Coast Herald", People(35.0, 1), 20, &["oceans", "sailing", "weather", "wildlife"]),
    Row("northern-letter", "The Northern Letter", People(20.0, 23), 20, &["iceland", "volcano", "climate", "energy"]),
    Row("capital-desk", "Capital Desk", People(120.0, 18), 30, &["elections", "economy", "energy", "privacy"]),
    Row("pacific-times", "Pacific Times", People(80.0, 16), 25, &["oceans", "climate", "travel", "economy"]),
    Row("eastern-review", "Eastern Review", People(45.0, 8), 20, &["history", "museums", "poetry", "cinema"]),
    Row("farm-and-field", "Farm and Field", People(12.0, 2), 15, &["farming", "weather", "wildlife"]),
    Row("world-wire", "World Wire", RoundTheClock(240.0), 40, &["elections", "economy", "climate", "health", "science", "football"]),
    Row("world-wire-sport", "World Wire: Sport", RoundTheClock(160.0), 30, &["football", "tennis", "cycling", "sailing"]),
    Row("world-wire-science", "World Wire: Science", RoundTheClock(50.0), 20, &["science", "physics", "astronomy", "medicine"]),
    Row("link-collector", "The Link Collector", RoundTheClock(140.0), 25, &["rust", "linux", "privacy", "robots", "mathematics"]),
    Row("open-questions", "Open Questions", RoundTheClock(75.0), 20, &["mathematics", "physics", "languages"]),
    Row("photo-stream", "A Stream of Photographs", RoundTheClock(30.0), 15, &["mountains", "wildlife", "travel"]),
    Row("weather-station", "Weather Station", OnTheHour(24.0, 1.0), 12, &["weather"]),
    Row("tide-tables", "Tide Tables", OnTheHour(12.0, 6.0), 8, &["oceans", "sailing"]),
    Row("seismograph", "Seismograph", OnTheHour(36.0, 1.0), 20, &["volcano", "iceland"]),
    Row("train-delays", "Train Delays", OnTheHour(72.0, 1.0), 30, &["railways", "travel"]),
    Row("market-bulletin", "Market Bulletin", OnTheHour(48.0, 4.0), 20, &["economy", "energy", "farming"]),
    Row("package-index", "Package Index", OnTheHour(96.0, 2.0), 40, &["rust", "linux"]),
    Row("sky-tonight", "The Sky Tonight", OnTheHour(4.0, 24.0), 10, &["astronomy", "weather"]),
    Row("preprint-server", "Preprint Server", OnTheHour(60.0, 24.0), 80, &["physics", "mathematics", "astronomy", "medicine"]),
    Row("volcano-watch", "Volcano Watch", Bursts(1.5, 8.0), 15, &["volcano", "iceland", "mountains"]),
    Row("goal-alerts", "Goal Alerts", Bursts(3.0, 12.0), 20, &["football"]),
    Row("election-night", "Election Night", Bursts(0.7, 25.0), 20, &["elections"]),
    Row("status-page", "Status of the Servers", Bursts(0.4, 5.0), 10, &["linux", "privacy"]),
    Row("concert-tickets", "Concert Tickets", Bursts(1.0, 10.0), 15, &["jazz", "opera", "theatre"]),
    Row("wildlife-sightings", "Wildlife Sightings", Bursts(2.0, 4.0), 12, &["wildlife", "oceans"]),
    Row("crab-notes", "Crab Notes", People(2.0, 1), 15, &["rust", "linux", "mathematics"]),
    Row("kitchen-garden", "The Kitchen Garden", People(1.0, 0), 10, &["gardening", "kitchen"]),
    Row("two-wheels", "Two Wheels", People(1.5, 2), 10, &["cycling", "mountains", "travel"]),
    Row("reading-room", "The Reading Room", People(0.8, 20), 10, &["libraries", "poetry", "history"]),
    Row("slow-chess", "Slow Chess", Weekly(3.0), 10, &["chess", "mathematics"]),
    Row("sunday-telescope", "Sunday Telescope", Weekly(1.0), 10, &["astronomy", "physics"]),
    Row("allotment-diary", "Allotment Diary", Weekly(1.0), 8, &["gardening", "weather"]),
    Row("small-museums", "Small Museums", Weekly(0.5), 10, &["museums", "history"]),
    Row("old-lines", "Old Railway Lines", Weekly(0.7), 10, &["railways", "history", "travel"]),
    Row("words-apart", "Words Apart", Weekly(2.0), 10, &["languages", "poetry"]),
    Row("stitch-by-stitch", "Stitch by Stitch", Weekly(1.0), 8, &["fashion"]),
    Row("machines-that-walk", "Machines That Walk", Weekly(1.5), 10, &["robots", "science"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_habit_publishes_as_much_as_it_says() {
        let daily = [
            (People(10.0, 3), 10.0),
            (OnTheHour(24.0, 1.0), 24.0),
            (OnTheHour(60.0, 24.0), 60.0),
            (RoundTheClock(5.0), 5.0),
            (Bursts(2.0, 4.0), 8.0),
            (Weekly(3.5), 0.5),
        ];
        for (number, (habit, expected)) in daily.into_iter().enumerate() {
            let rate = habit.process(number).mean_rate() * DAY;
            assert!((rate - expected).abs() < 1e-9, "{habit:?} publishes {rate} a day");
        }
    }

    #[test]
    fn a_world_tells_names_titles_and_topics_of_its_sources() {
        let world = World::demo(1);
        let wire = world.about().find(|(name, ..)| *name == "seismograph").unwrap();
        assert_eq!(wire, ("seismograph", "Seismograph".to_owned(), vec!["volcano", "iceland"]));
        assert_eq!(world.about().count(), 40);
    }

    #[test]
    fn the_demonstration_uses_known_topics_only() {
        let topics = DEMO.iter().flat_map(|row| row.4);
        for topic in topics {
            assert!(crate::wording::topic(topic).is_some(), "{topic} is no topic");
        }
    }
}
