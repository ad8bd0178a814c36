// What is on the page as the fragment of an address, and back.

const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

const letters = (bytes) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};

const fromLetters = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

/** The fragment for a state: its program compressed, the rest in plain words. */
export async function fragment({ text, ...words }) {
  const rest = new URLSearchParams(Object.entries(words).filter(([, value]) => value));
  if (text !== undefined) {
    const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    rest.set("program", letters(packed));
  }
  return `#${rest}`;
}

/** The state of a fragment. */
export async function state(fragment) {
  const { program, ...words } = Object.fromEntries(new URLSearchParams(fragment.slice(1)));
  if (program === undefined) return words;
  const bytes = await through(fromLetters(program), new DecompressionStream("deflate-raw"));
  return { ...words, text: new TextDecoder().decode(bytes) };
}
