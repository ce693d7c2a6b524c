import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../harness/chromium.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

describe.skipIf(chromiumPath === undefined)(
  'in a real browser',
  () => {
    let server: TestServer
    let alice: Person
    let browser: Browser
    let page: Page
    let app: Server
    let callback: string
    const complaints: string[] = []

    beforeAll(async () => {
      server = await startServer()
      alice = await server.world.user('alice')
      browser = await launchChromium()
      app = createServer((_, response) => response.end('the application'))
      await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
      callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/cb`
    }, 60_000)
    afterAll(async () => {
      await browser.close()
      app.close()
      await server.close()
    })
    beforeEach(async () => {
      page = await (await browser.newContext()).newPage()
      page.on('console', (message) => void complaints.push(message.text()))
      complaints.length = 0
    })
    afterEach(() => page.context().close())

    async function fillPassword(): Promise<void> {
      await page.getByLabel('User name or e-mail address').fill('alice')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }

    it('a user signs in for an application, agrees and is redirected; the next time without a prompt', async () => {
      const { json } = await alice.client.post('/user/applications/oauth2', {
        name: 'app',
        redirect_uris: [callback],
        confidential_client: true,
      })
      const authorize = `${server.url}/login/oauth/authorize?${new URLSearchParams({ client_id: json.client_id, redirect_uri: callback, response_type: 'code', state: 's', scope: 'read:user' })}`
      await page.goto(authorize)
      await fillPassword()
      await page.getByRole('button', { name: 'Let it in' }).click()
      await page.waitForURL(`${callback}?*`)
      expect(new URL(page.url()).searchParams.get('code')).toMatch(/^gta_/)
      await page.context().clearCookies()
      await page.goto(authorize)
      await fillPassword()
      await page.waitForURL(`${callback}?*`)
      expect(await page.textContent('body')).toBe('the application')
      expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([])
    })

    it('scripts cannot read the cookie, and signing out invalidates it', async () => {
      await page.goto(`${server.url}/user/applications`)
      await fillPassword()
      await page.getByText('Signed in as alice').waitFor()
      const [cookie] = await page.context().cookies()
      expect(cookie).toMatchObject({ name: 'ingot_session', httpOnly: true, sameSite: 'Lax' })
      expect(await page.evaluate('document.cookie')).toBe('')
      expect(await page.evaluate("fetch('/api/v1/user').then((answer) => answer.status, () => 'blocked')")).toBe(
        'blocked',
      )
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect(await page.context().cookies()).not.toContainEqual(expect.objectContaining({ name: 'ingot_session' }))
    })

    it('another site cannot send forms on behalf of the user', async () => {
      await page.goto(`${server.url}/user/applications`)
      await fillPassword()
      await page.getByText('Signed in as alice').waitFor()
      await page.goto(callback)
      await page.setContent(
        `<form method="post" action="${server.url}/user/logout"><button>Win a prize</button></form>`,
      )
      const [answer] = await Promise.all([
        page.waitForResponse(`${server.url}/user/logout`),
        page.getByRole('button').click(),
      ])
      expect(answer.status()).toBe(403)
      await page.goto(`${server.url}/user/applications`)
      await page.getByText('Signed in as alice').waitFor()
    })

    it('everything works with scripts disabled', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false })
      page = await context.newPage()
      await page.goto(`${server.url}/user/login`)
      await fillPassword()
      await page.getByText('Signed in as alice').waitFor()
    })
  },
  60_000,
)
