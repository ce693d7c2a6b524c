import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium, problemsOf } from '../../harness/chromium.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD } from '../../harness/world.ts'
import { fillPages } from './full-world.ts'

const PHONE = { width: 360, height: 640 }
const DESK = { width: 1280, height: 800 }

describe.skipIf(chromiumPath === undefined)('every page in a real browser', () => {
  let server: TestServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let addresses: string[]
  const complaints: string[] = []

  beforeAll(async () => {
    server = await startServer()
    const ann = await server.world.user('ann')
    addresses = await fillPages(server, ann)
    const missing = `${server.url}/ann/nothing`
    browser = await launchChromium()
    context = await browser.newContext({ viewport: DESK })
    page = await context.newPage()
    page.on('console', (message) => {
      const { url } = message.location()
      // A browser asks for it by itself, and reports a page that is a 404.
      if (!url.endsWith('/favicon.ico') && url !== missing) complaints.push(`${message.text()} ${url}`)
    })
    page.on('pageerror', (error) => void complaints.push(`${page.url()}: ${error.message}`))
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  /** Opens the page as it is on a desk in light colours, then on a phone in dark ones. */
  async function check(address: string, status = 200): Promise<void> {
    complaints.length = 0
    await page.setViewportSize(DESK)
    await page.emulateMedia({ colorScheme: 'light' })
    expect([address, (await page.goto(server.url + address))?.status()]).toEqual([address, status])
    expect([address, await problemsOf(page)]).toEqual([address, []])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize(PHONE)
    expect([address, await problemsOf(page)]).toEqual([address, []])
    expect([address, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([address, PHONE.width])
    expect([address, complaints]).toEqual([address, []])
  }

  it('of somebody who has not signed in has no problem of accessibility, no error and no overflow', async () => {
    for (const address of ['/user/login', '/user/change_password', '/ann/boat']) await check(address)
    await check('/ann/nothing', 404)
  })

  it('of a user has no problem of accessibility, no error and no overflow', async () => {
    await page.goto(`${server.url}/user/login`)
    await page.getByLabel('User name or e-mail address').fill('ann')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Signed in as ann').waitFor()
    for (const address of addresses) await check(address)
  }, 240_000)

  it('leads the keyboard to the content first, past the links that all pages have', async () => {
    await page.goto(`${server.url}/ann/boat`)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate("document.querySelector('main').contains(document.activeElement)")).toBe(true)
  })
})
