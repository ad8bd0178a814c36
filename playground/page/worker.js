// The compiler in a thread of its own. It answers one question after another; a panic ends it, and the page starts another.

let compiler;

const bytes = (place, size) => new Uint8Array(compiler.memory.buffer, place, size);
const text = (place, size) => new TextDecoder().decode(bytes(place, size));

async function begin(module) {
  const page = { panicked: (place, size) => postMessage({ panic: text(place, size) }) };
  compiler = (await WebAssembly.instantiate(module, { page })).exports;
  compiler.begin();
}

function ask(question) {
  const asked = new TextEncoder().encode(JSON.stringify(question));
  const room = compiler.room(asked.length);
  bytes(room, asked.length).set(asked);
  const place = compiler.ask(room, asked.length);
  const size = new DataView(compiler.memory.buffer).getUint32(place, true);
  const answer = text(place + 4, size);
  compiler.done(place);
  return JSON.parse(answer);
}

let begun;

onmessage = async ({ data }) => {
  if (data.module) {
    begun = begin(data.module);
    return;
  }
  try {
    await begun;
    postMessage({ number: data.number, ...ask(data.question) });
  } catch (error) {
    postMessage({ number: data.number, died: String(error) });
    close();
  }
};
