import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome']

/** The Chromium of this machine, or the program in INGOT_CHROMIUM; undefined where there is none. */
export const chromiumPath: string | undefined = findChromium()

function findChromium(): string | undefined {
  const found = [process.env['INGOT_CHROMIUM'] ?? '', ...PLACES].find((path) => path !== '' && existsSync(path))
  if (found === undefined) process.stderr.write('no Chromium here: the tests in a real browser are left out\n')
  return found
}

/** If there is no browser, the test must be skipped. */
export const launchChromium = ({ args = [], ...options }: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({
    ...options,
    executablePath: chromiumPath!,
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...args],
  })

/** The rules of accessibility that the page breaks as it is shown, colours included, with its elements. */
export async function problemsOf(page: Page): Promise<string[]> {
  // NOTE: for a page that names no background axe computes with white, in the dark too.
  await page.evaluate("document.documentElement.style.background = 'Canvas'")
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()')
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
