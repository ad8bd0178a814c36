// Looks at a report as it is set: texts that are cut, lie on each other, are too small or too pale; axes without names.
const problems = [];
const say = (svg, what) => problems.push(svg.querySelector('title').textContent + ': ' + what);

const channel = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const light = colour => {
  const [r, g, b] = colour.match(/[\d.]+/g).map(Number).map(channel);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

const paper = getComputedStyle(document.documentElement).backgroundColor;
const dark = matchMedia('(prefers-color-scheme: dark)').matches;
if ((light(paper) < 0.5) !== dark) problems.push('the paper is ' + paper);

document.querySelectorAll('details').forEach(d => { d.open = true });
if (document.documentElement.scrollWidth > innerWidth) {
  problems.push('the page is ' + document.documentElement.scrollWidth + ' pixels wide');
}

for (const svg of document.querySelectorAll('figure svg')) {
  const frame = svg.getBoundingClientRect();
  const scale = frame.width / svg.viewBox.baseVal.width;
  const texts = [...svg.querySelectorAll('text')].map(text => ({ text, box: text.getBoundingClientRect() }));
  for (const { text, box } of texts) {
    const words = '"' + text.textContent + '"';
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) {
      say(svg, words + ' is cut');
    }
    const style = getComputedStyle(text);
    if (parseFloat(style.fontSize) * scale < 9) say(svg, words + ' is too small');
    if (!text.classList.contains('on') && contrast(light(style.fill), light(paper)) < 4.5) say(svg, words + ' is too pale');
  }
  // Boxes are higher than the letters in them.
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5 * scale;
  for (let i = 0; i < texts.length; i++) {
    for (let j = i + 1; j < texts.length; j++) {
      if (over(texts[i].box, texts[j].box)) {
        say(svg, '"' + texts[i].text.textContent + '" lies on "' + texts[j].text.textContent + '"');
      }
    }
  }
  if (!svg.querySelector('.axis')) say(svg, 'no axis has a name');
}
if (!document.querySelector('figure svg')) problems.push('there is no figure');
const found = document.createElement('pre');
found.id = 'found';
found.textContent = problems.join('\n');
document.body.append(found);
