// A real browser with a tab per screen, and what a reader finds on a page.
//
// Every question to the browser is a trip to another process, so that a page is surveyed in one.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { launch } from 'puppeteer-core';
import { removeDirectory, temporaryDirectory } from './harness.mjs';

const kScreens = {
  desk: { width: 1280, height: 800 },
  phone: { width: 320, height: 640, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
};

// Runs in the page.
function survey() {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const texts = (selector) =>
    all(selector)
      .filter((element) => element.checkVisibility())
      .map((element) => element.innerText);
  // Of the text against what it stands on, as WCAG counts it.
  const rgb = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = rgb(colour).map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return rgb(colour)[3] === 0 ? ground(element.parentElement) : colour;
  };
  const contrast = (element) => {
    const both = [getComputedStyle(element).color, ground(element)].map(luminance);
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
  };
  return {
    title: document.title,
    language: document.documentElement.lang,
    icon: document.querySelector('link[rel=icon]')?.href,
    html: document.documentElement.outerHTML,
    text: document.querySelector('main').innerText,
    headings: { h1: texts('h1'), h2: texts('h2') },
    commands: texts('pre'),
    lines: texts('li'),
    cards: texts('.cards li > p:first-child a'),
    links: all('a').map(({ href, rel, title, innerText: text }) => ({ href, rel, title, text })),
    active: all('script, img, iframe, form, b, [onclick], [onmouseover], [onfocus], [onerror]')
      .length,
    contrast: Math.min(...all('main *').map(contrast)),
    ground: ground(document.body),
    widths: { content: document.scrollingElement.scrollWidth, window: innerWidth },
  };
}

// For all tests of a file: starting a browser takes longer than any of them.
export function sharedBrowser() {
  const tabs = {};
  let browser, profile;
  let complaints = [];

  async function openTab(screen) {
    const page = await browser.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      complaints.push(`a dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    await page.setViewport(kScreens[screen]);
    return page;
  }

  before(async () => {
    profile = await temporaryDirectory();
    browser = await launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      userDataDir: profile,
      // Its sandbox does not work for root; what it visits here is ours.
      args: ['--disable-gpu', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])],
    });
    for (const screen of Object.keys(kScreens)) tabs[screen] = await openTab(screen);
  });
  after(async () => {
    await browser?.close();
    await removeDirectory(profile);
  });

  return {
    tabs,
    // What is there to see; fails when the browser complains or has to scroll sideways.
    async see(url, screen, { status = 200 } = {}) {
      complaints = [];
      const response = await tabs[screen].goto(url);
      assert.equal(response.status(), status, url);
      const seen = await tabs[screen].evaluate(survey);
      const { content, window } = seen.widths;
      assert.ok(content <= window, `${screen} ${url}: ${content} pixels of ${window}`);
      const expected = (text) => status === 404 && /status of 404/.test(text);
      assert.deepEqual(complaints.filter((text) => !expected(text)), [], `${screen} ${url}`);
      return seen;
    },
    async onEveryScreen(url, look, options) {
      for (const screen of Object.keys(kScreens)) look(await this.see(url, screen, options));
    },
  };
}
