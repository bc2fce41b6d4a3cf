// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A proxy that speaks version 4 of the CQL protocol and lies: it drops writes but acknowledges them, answers what it answered
//! before, alters bytes, repeats old writes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{unbounded_channel, UnboundedSender};

const ERROR_FREE_VOID: [u8; 4] = 1_u32.to_be_bytes();
const PREPARE: u8 = 0x09;
const EXECUTE: u8 = 0x0a;
const RESULT: u8 = 0x08;
/// A stream on which the driver has nothing in flight: it counts from 0.
const OWN_STREAM: [u8; 2] = 32_000_u16.to_be_bytes();

/// What the proxy does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    None,
    /// Every third write is acknowledged and goes nowhere.
    DropWrites,
    /// Every third read is answered with the first answer that this row ever got.
    OldAnswers,
    /// The last byte of every third answer with rows is another one.
    AlterBytes,
    /// Each write is followed by the one before it, once more.
    RepeatWrites,
}

#[derive(Default)]
struct State {
    /// Prepared statements that write.
    writes: HashMap<Vec<u8>, bool>,
    first_answers: HashMap<Vec<u8>, Vec<u8>>,
    last_write: Option<Vec<u8>>,
    seen: u64,
}

/// A running proxy; the lie can be changed at any time.
#[derive(Clone)]
pub struct Proxy {
    lie: Arc<Mutex<Lie>>,
    state: Arc<Mutex<State>>,
    pub address: String,
}

#[derive(Clone)]
struct Frame {
    header: [u8; 9],
    body: Vec<u8>,
}

impl Frame {
    async fn read(from: &mut (impl AsyncRead + Unpin)) -> Option<Self> {
        let mut header = [0; 9];
        from.read_exact(&mut header).await.ok()?;
        let mut body = vec![0; u32::from_be_bytes([header[5], header[6], header[7], header[8]]) as usize];
        from.read_exact(&mut body).await.ok()?;
        Some(Self { header, body })
    }

    fn stream(&self) -> [u8; 2] {
        [self.header[2], self.header[3]]
    }

    fn opcode(&self) -> u8 {
        self.header[4]
    }

    fn void(to: [u8; 2]) -> Self {
        Self { header: [0x84, 0, to[0], to[1], RESULT, 0, 0, 0, 4], body: ERROR_FREE_VOID.to_vec() }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut all = self.header.to_vec();
        all[5..9].copy_from_slice(&(self.body.len() as u32).to_be_bytes());
        all.extend_from_slice(&self.body);
        all
    }

    /// Of an EXECUTE: the statement, and the statement with its first value, which is the key here.
    fn executed(&self) -> (Vec<u8>, Vec<u8>) {
        let id_length = u16::from_be_bytes([self.body[0], self.body[1]]) as usize;
        let id = self.body[2..2 + id_length].to_vec();
        let flags = 2 + id_length + 2;
        if self.body[flags] & 1 == 0 {
            return (id.clone(), id);
        }
        let value = flags + 1 + 2;
        let length = u32::from_be_bytes(self.body[value..value + 4].try_into().unwrap()) as usize;
        let row = [&id[..], &self.body[value + 4..value + 4 + length]].concat();
        (id, row)
    }
}

impl Proxy {
    /// Listens on a free port and passes everything on to `node`.
    pub async fn start(node: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let proxy = Self { lie: Arc::new(Mutex::new(Lie::None)), state: Arc::default(), address };
        let accepting = proxy.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&node).await.unwrap();
                accepting.join(client, server);
            }
        });
        proxy
    }

    /// Says something else wrong from now on.
    pub fn lie(&self, lie: Lie) {
        *self.lie.lock().unwrap() = lie;
    }

    fn join(&self, client: TcpStream, server: TcpStream) {
        let (mut from_client, mut client) = client.into_split();
        let (mut from_server, mut server) = server.into_split();
        let (to_client, mut for_client) = unbounded_channel::<Frame>();
        let (to_server, mut for_server) = unbounded_channel::<Frame>();
        // What is waited for on this connection, by stream.
        let asked: Arc<Mutex<HashMap<[u8; 2], Frame>>> = Arc::default();
        tokio::spawn(async move {
            while let Some(frame) = for_client.recv().await {
                if client.write_all(&frame.bytes()).await.is_err() {
                    return;
                }
            }
        });
        tokio::spawn(async move {
            while let Some(frame) = for_server.recv().await {
                if server.write_all(&frame.bytes()).await.is_err() {
                    return;
                }
            }
        });
        let (proxy, open, back) = (self.clone(), Arc::clone(&asked), to_client.clone());
        tokio::spawn(async move {
            while let Some(frame) = Frame::read(&mut from_client).await {
                proxy.request(frame, &open, &to_server, &back);
            }
        });
        let proxy = self.clone();
        tokio::spawn(async move {
            while let Some(frame) = Frame::read(&mut from_server).await {
                if let Some(frame) = proxy.answer(frame, &asked) {
                    let _ = to_client.send(frame);
                }
            }
        });
    }

    fn request(
        &self,
        frame: Frame,
        asked: &Mutex<HashMap<[u8; 2], Frame>>,
        server: &UnboundedSender<Frame>,
        client: &UnboundedSender<Frame>,
    ) {
        let lie = *self.lie.lock().unwrap();
        let mut state = self.state.lock().unwrap();
        let mut repeated = None;
        if frame.opcode() == EXECUTE && state.writes.get(&frame.executed().0) == Some(&true) {
            state.seen += 1;
            if lie == Lie::DropWrites && state.seen.is_multiple_of(3) {
                let _ = client.send(Frame::void(frame.stream()));
                return;
            }
            let again = state.last_write.replace(frame.bytes());
            repeated = again.filter(|_| lie == Lie::RepeatWrites);
        }
        asked.lock().unwrap().insert(frame.stream(), frame.clone());
        let _ = server.send(frame);
        if let Some(bytes) = repeated {
            let mut header: [u8; 9] = bytes[..9].try_into().unwrap();
            header[2..4].copy_from_slice(&OWN_STREAM);
            let _ = server.send(Frame { header, body: bytes[9..].to_vec() });
        }
    }

    fn answer(&self, mut frame: Frame, asked: &Mutex<HashMap<[u8; 2], Frame>>) -> Option<Frame> {
        if frame.stream() == OWN_STREAM {
            return None;
        }
        let Some(request) = asked.lock().unwrap().remove(&frame.stream()) else { return Some(frame) };
        let kind = (frame.opcode() == RESULT).then(|| frame.body[3]);
        let mut state = self.state.lock().unwrap();
        if request.opcode() == PREPARE && kind == Some(4) {
            let id_length = u16::from_be_bytes([frame.body[4], frame.body[5]]) as usize;
            let text = String::from_utf8_lossy(&request.body[4..]).to_uppercase();
            state.writes.insert(frame.body[6..6 + id_length].to_vec(), !text.trim_start().starts_with("SELECT"));
        }
        if request.opcode() == EXECUTE && kind == Some(2) {
            state.seen += 1;
            let third = state.seen.is_multiple_of(3);
            let (_, row) = request.executed();
            let first = state.first_answers.entry(row).or_insert_with(|| frame.body.clone()).clone();
            match *self.lie.lock().unwrap() {
                Lie::OldAnswers if third => frame.body = first,
                Lie::AlterBytes if third => *frame.body.last_mut().unwrap() ^= 1,
                _ => {}
            }
        }
        Some(frame)
    }
}
