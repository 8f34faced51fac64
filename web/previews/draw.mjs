// Draws what links show, by the page's own cards: `npm run previews` writes public/preview*.png.
import puppeteer from 'puppeteer-core';
import { createServer } from 'vite';

const PICTURES = { preview: '', 'preview-linko': 'linko', 'preview-blocco': 'blocco' };

const server = await createServer({ logLevel: 'warn', server: { port: 0 } });
await server.listen();
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage();
await page.setViewport({ width: 1200, height: 630 });
for (const [name, game] of Object.entries(PICTURES)) {
  await page.goto('about:blank');
  await page.goto(`${server.resolvedUrls.local[0]}previews/index.html#${game}`, {
    waitUntil: 'networkidle0',
  });
  await page.evaluate(() => document.fonts.ready.then(() => true));
  await page.screenshot({ path: new URL(`../public/${name}.png`, import.meta.url).pathname });
}
await browser.close();
await server.close();
