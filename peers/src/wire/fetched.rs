//! The answer to a fetch. Its entries are encoded once; every caller who asks for the same page gets the same
//! bytes.

use bytes::{BufMut, Bytes};
use pergola_proto::v1;
use prost::Message;
use tonic::Status;
use tonic::codec::{Codec, EncodeBuf, Encoder};
use tonic_prost::ProstDecoder;

/// Appends an entry to encoded ones. Encoded messages may be joined: whoever decodes them gets one message
/// with the fields of all.
pub fn append_entry(encoded: &mut Vec<u8>, entry: v1::Entry) {
    let part = v1::FetchResponse { entries: vec![entry], ..v1::FetchResponse::default() };
    part.encode(encoded).expect("a vector grows as it is written to");
}

/// The answer to a fetch: a [`v1::FetchResponse`] in two parts.
pub struct FetchAnswer {
    /// The entries, as [`append_entry`] encodes them.
    pub entries: Bytes,
    /// Everything else.
    pub rest: v1::FetchResponse,
}

/// Decodes the request and encodes the answer of a fetch.
pub struct FetchCodec;

impl Codec for FetchCodec {
    type Encode = FetchAnswer;
    type Decode = v1::FetchRequest;
    type Encoder = Self;
    type Decoder = ProstDecoder<v1::FetchRequest>;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstDecoder::default()
    }
}

impl Encoder for FetchCodec {
    type Item = FetchAnswer;
    type Error = Status;

    fn encode(&mut self, answer: FetchAnswer, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.reserve(answer.entries.len() + answer.rest.encoded_len());
        buffer.put(answer.entries);
        answer.rest.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}
