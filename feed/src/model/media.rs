//! What pictures, films and podcasts have beyond other items.
//!
//! Most items have nothing of it, so an item holds it in a box.

use serde::{Deserialize, Serialize};

/// Pictures of an item, and its place in a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Media {
    /// Small pictures that stand for the item, the best one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub thumbnails: Vec<Picture>,
    /// The picture of the episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// How long the first file takes, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub season: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episode: Option<u32>,
    /// `full`, `trailer` or `bonus`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether it is not for children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explicit: Option<bool>,
    /// The title without number and series, if it differs from that of the item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Who speaks, if not the author of the item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtitle: Option<String>,
    /// What it is about, if the item says that in other words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Who made what it shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub credits: Vec<Credit>,
}

impl Media {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The address of the picture to show.
    pub fn picture(&self) -> Option<&str> {
        let thumbnail = self.thumbnails.first().map(|picture| picture.url.as_str());
        thumbnail.or(self.image.as_deref())
    }
}

/// A picture and its size in pixels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
}

/// Somebody who had a part in a work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credit {
    pub name: String,
    /// What part, such as `photographer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// What is known of a media file besides its type and length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// `image`, `audio`, `video`, `document` or `executable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub medium: Option<String>,
    /// In pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// In pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// In seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<u32>,
}

impl Details {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The series that the items of a feed belong to, such as a podcast.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Series {
    /// The address of its picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// `episodic`, or `serial` if its parts are to be heard in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether it is not for children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explicit: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
}

impl Series {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
