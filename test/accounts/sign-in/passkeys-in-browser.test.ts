import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium, problemsOf } from '../../harness/chromium.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD } from '../../harness/world.ts'
import { certificateFolder, type CertificateFolder } from '../../transports/tls/fixture.ts'

describe.skipIf(chromiumPath === undefined)('passkeys in a real browser, over HTTPS', () => {
  let folder: CertificateFolder
  let server: TestServer
  let browser: Browser
  let page: Page
  let origin: string
  const complaints: string[] = []

  beforeAll(async () => {
    folder = await certificateFolder()
    server = await startServer({ settings: folder.settings })
    origin = server.url.replace('127.0.0.1', 'localhost')
    server.app.setRootUrl(origin)
    await server.world.user('ann')
    browser = await launchChromium({ args: [`--ignore-certificate-errors-spki-list=${keyHash(folder)}`] })
    page = await browser.newPage()
    page.on('console', (message) => void complaints.push(message.text()))
    page.on('pageerror', (error) => void complaints.push(error.message))
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    } as const
    await devtools.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, isUserVerified: true } })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await server.close()
    folder.remove()
  })

  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
  const isSignedIn = (): Promise<void> => page.getByText('Signed in as ann').waitFor()

  async function signInByPassword(): Promise<void> {
    await page.context().clearCookies()
    await page.goto(`${origin}/user/login`)
    await page.getByLabel('User name or e-mail address').fill('ann')
    await page.getByLabel('Password').fill(PASSWORD)
    await press('Sign in')
  }

  it('a user adds a passkey, signs in with the passkey only, and uses it or a recovery code after the password', async () => {
    await signInByPassword()
    await isSignedIn()
    await page.getByRole('link', { name: 'Passkeys' }).click()
    await page.getByLabel('Name of the new passkey').fill('Laptop')
    expect(await problemsOf(page)).toEqual([])
    await press('Add a passkey')
    await page.getByText('Laptop').waitFor()
    await press('Make new recovery codes')
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    const code = (await page.locator('li code').first().textContent())!

    await page.context().clearCookies()
    await page.goto(`${origin}/user/login`)
    await press('Sign in with a passkey')
    await isSignedIn()

    await signInByPassword()
    await page.getByRole('heading', { name: 'Passkey' }).waitFor()
    expect(await problemsOf(page)).toEqual([])
    await press('Use a passkey')
    await isSignedIn()

    await signInByPassword()
    await page.getByLabel('Recovery code').fill(code)
    await press('Go on')
    await isSignedIn()
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ name: '__Host-ingot_session', secure: true, httpOnly: true })
    await signInByPassword()
    await page.getByLabel('Recovery code').fill(code)
    await press('Go on')
    await page.getByRole('alert').waitFor()
    expect(complaints.filter((text) => !text.includes('status of 4'))).toEqual([])
  })
})

/** The hash of the server's public key, as Chromium takes it. */
function keyHash({ settings }: CertificateFolder): string {
  const { publicKey } = new X509Certificate(readFileSync(settings['tls.cert_file']!))
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')
}
