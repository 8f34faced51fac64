// Drives Firefox for tests/browsers/driver.py: one JSON object a line comes in, one JSON object a line answers it.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

// The page's own packages are the only ones that set-up installs.
const { default: puppeteer } = createRequire(new URL('../../web/package.json', import.meta.url))('puppeteer-core');

const [executablePath] = process.argv.slice(2);
const browser = await puppeteer.launch({
  browser: 'firefox',
  executablePath,
  headless: true,
  protocolTimeout: 30_000,
  extraPrefsFirefox: { 'intl.accept_languages': 'en-GB' },
});
const page = await browser.newPage(); // the one that is there already never has the focus
const troubles = [];
// These tell of everything from the first line of the page's program on.
page.on('pageerror', (error) => troubles.push(String(error)));
page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));

const COMMANDS = {
  open: ({ url }) => page.goto(url, { waitUntil: 'load' }).then(() => null),
  evaluate: ({ script }) => page.evaluate(script),
  click: ({ x, y }) => page.mouse.click(x, y),
  press: ({ key }) => page.keyboard.press(key),
  resize: ({ width, height }) => page.setViewport({ width, height }),
  screenshot: ({ path }) => page.screenshot({ path }).then(() => null),
  troubles: () => troubles.splice(0),
};

console.log(JSON.stringify({ value: await browser.version() }));
for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...more } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await COMMANDS[command](more)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  console.log(JSON.stringify(answer));
}
await browser.close(); // nobody asks any more
