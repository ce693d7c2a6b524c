import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemActor } from '../../../src/core/access/viewer.ts'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { totpCode, totpStep } from '../../../src/core/platform/crypto/totp.ts'
import { createBrowser, type Browser } from '../../harness/browser.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { Authenticator, creationOptions, offeredOptions, passkeyForm, requestOptions } from './authenticator.ts'

const ORIGIN = 'https://git.example.test'
const LOGIN = '/user/login'
const HOME = '/user/applications'
const PASSKEYS = '/user/passkeys'
const SESSION = '__Host-ingot_session'
const MINUTE = 60_000

interface Entry {
  readonly action: string
  readonly credential: { readonly kind: string }
}

describeOnBoth('passkeys', (kind) => {
  let server: TestServer
  let root: Person
  let ahead = 0
  const now = () => systemClock.now() + ahead

  beforeAll(async () => {
    server = await startServer({
      on: kind,
      clock: { now },
      settings: { 'server.root_url': ORIGIN },
      tuning: { loginAttempts: 1000 },
    })
    root = await server.world.admin()
  })
  afterAll(() => server.close())

  const browser = (): Browser => createBrowser(server.url)

  async function byPassword(name: string): Promise<Browser> {
    const made = browser()
    await made.open(LOGIN)
    await made.send({ user_name: name, password: PASSWORD })
    return made
  }

  async function add(page: Browser, device: Authenticator, name = 'Phone', ways = {}): Promise<number> {
    await page.open(PASSKEYS)
    const response = device.create(creationOptions(page), ways)
    return (await page.send({ name, response }, { form: passkeyForm(page) })).status
  }

  /** A user with a passkey; its session is closed. */
  async function enrolled(name: string, device = new Authenticator(ORIGIN)): Promise<Authenticator> {
    await server.world.user(name)
    expect(await add(await byPassword(name), device)).toBe(200)
    return device
  }

  const use = async (page: Browser, device: Authenticator, ways = {}) => {
    const answer = { response: device.get(requestOptions(page), ways) }
    await page.send(answer, { form: passkeyForm(page) })
    return { status: page.page.status, isSignedIn: page.cookies.has(SESSION) }
  }
  const alone = async (device: Authenticator, ways = {}) => {
    const page = browser()
    await page.open(LOGIN)
    return { page, ...(await use(page, device, ways)) }
  }
  const basic = (name: string, password: string, headers = {}) =>
    server.anonymous.get('/user', {
      authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
      ...headers,
    })

  it('sign a user in without a password, and end there where the user wanted to go', async () => {
    for (const algorithm of ['P-256', 'Ed25519'] as const) {
      const name = `alone-${algorithm.toLowerCase()}`
      const device = await enrolled(name, new Authenticator(ORIGIN, algorithm))
      const page = browser()
      await page.open(`${LOGIN}?redirect_to=${encodeURIComponent(`${HOME}?x=1`)}`)
      const options = offeredOptions(page)
      expect(options).toMatchObject({ rpId: 'git.example.test', userVerification: 'required', allowCredentials: [] })
      expect(await use(page, device)).toEqual({ status: 200, isSignedIn: true })
      expect(page.page.url).toBe(`${server.url}${HOME}?x=1`)
      expect(page.page.text).toContain(`Signed in as <strong>${name}</strong>`)
    }
  })

  it('are registered without attestation, named, listed, renamed and deleted', async () => {
    await server.world.user('bob')
    const bob = await byPassword('bob')
    await bob.open(PASSKEYS)
    expect(bob.page.text).toContain('You have no passkey')
    expect(offeredOptions(bob)).toMatchObject({
      attestation: 'none',
      rp: { id: 'git.example.test' },
      user: { name: 'bob' },
      excludeCredentials: [],
    })
    const device = new Authenticator(ORIGIN)
    expect(await add(bob, device, '<b>Phone</b>')).toBe(200)
    expect(bob.page.text).toContain('&lt;b&gt;Phone&lt;/b&gt;')
    expect(creationOptions(bob).excludeCredentials).toHaveLength(1)
    expect(await add(bob, new Authenticator(ORIGIN), '  ')).toBe(200)
    expect(bob.page.text).toContain('<strong>Passkey</strong>')
    const handles = (await rows(server, 'passkey')).slice(-2).map((row) => row['user_handle'])
    expect(new Set(handles).size).toBe(1)

    const formOf = (part: string) => bob.page.forms.findIndex(({ action }) => action.endsWith(part))
    await bob.send({ name: 'Key' }, { form: formOf('/rename') })
    expect(bob.page.text).toContain('<strong>Key</strong>')
    expect((await bob.send({ name: 'x'.repeat(65) }, { form: formOf('/rename') })).status).toBe(422)
    await bob.send({}, { form: formOf('/delete') })
    expect(bob.page.text).not.toContain('<strong>Key</strong>')
    expect((await alone(device)).isSignedIn).toBe(false)
    await bob.send({}, { form: formOf('/delete') })
    expect(bob.page.text).toContain('You have no passkey')
    expect((await basic('bob', PASSWORD)).status).toBe(200)
  })

  it('of another user cannot be renamed or deleted', async () => {
    await enrolled('carl')
    const id = (await rows(server, 'passkey')).at(-1)!['id']
    await server.world.user('mallory')
    const mallory = await byPassword('mallory')
    await add(mallory, new Authenticator(ORIGIN))
    const formOf = (part: string) => mallory.page.forms.findIndex(({ action }) => action.endsWith(part))
    await mallory.send({ id: String(id), name: 'stolen' }, { form: formOf('/rename') })
    await mallory.send({ id: String(id) }, { form: formOf('/delete') })
    expect((await rows(server, 'passkey')).find((row) => row['id'] === id)).toMatchObject({ name: 'Phone' })
  })

  it('are added and deleted only soon after signing in', async () => {
    const device = await enrolled('dora')
    const { page } = await alone(device)
    await page.open(PASSKEYS)
    const response = new Authenticator(ORIGIN).create(creationOptions(page))
    const { forms } = page.page
    ahead += 5 * MINUTE
    const before = forms.findIndex(({ action }) => action.endsWith('/delete'))
    ahead += 11 * MINUTE
    expect((await page.send({ response, name: 'late' }, { form: passkeyForm(page) })).status).toBe(403)
    await page.open(PASSKEYS)
    expect([before >= 0, page.page.text.includes('/delete'), offeredOptions(page)]).toEqual([true, false, undefined])
    const again = page.page.forms.findIndex(({ action }) => action.endsWith('/logout'))
    await page.send({}, { form: again })
    expect(page.page.url).toBe(`${server.url}${LOGIN}?redirect_to=${encodeURIComponent(PASSKEYS)}`)
    expect((await use(page, device)).isSignedIn).toBe(true)
    expect(page.page.url).toBe(server.url + PASSKEYS)
    expect(page.page.text).toContain('/delete')
  })

  it('are required after the password, without user verification', async () => {
    const device = await enrolled('eric')
    const page = await byPassword('eric')
    expect(page.cookies.has(SESSION)).toBe(false)
    expect(offeredOptions(page)).toMatchObject({ userVerification: 'preferred', allowCredentials: [{}] })
    expect(page.page.text).not.toContain('name="code"')
    expect(await use(page, device, { verifiesUser: false })).toEqual({ status: 200, isSignedIn: true })
    await server.drain()
    const { json } = await root.client.get('/admin/audit?action=sign-in.succeeded&target=eric')
    expect(json[0]).toMatchObject({ credential: { kind: 'password' }, details: { second_factor: 'passkey' } })
  })

  it('leave one-time codes and recovery codes as they are', async () => {
    const { user } = await server.world.user('fred')
    const { secret } = await server.app.twoFactor.begin(user)
    const bits = [...secret]
      .map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'))
      .join('')
    const bytes = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
    const code = (): string => totpCode(bytes, totpStep(((ahead += 30_000), now())))
    const recovery = await server.app.twoFactor.confirm(systemActor, user.id, code())
    const fred = await byPassword('fred')
    await fred.send({ code: code() })
    const device = new Authenticator(ORIGIN)
    expect(await add(fred, device)).toBe(200)
    for (const answer of [code(), recovery[0]!]) {
      const page = await byPassword('fred')
      expect([passkeyForm(page), requestOptions(page).allowCredentials?.length]).toEqual([1, 1])
      await page.send({ code: answer })
      expect(page.cookies.has(SESSION)).toBe(true)
    }
    expect((await use(await byPassword('fred'), device)).isSignedIn).toBe(true)
    expect((await basic('fred', PASSWORD)).json.message).toBe('invalid provided OTP')
    expect((await basic('fred', PASSWORD, { 'x-forge-otp': code() })).status).toBe(200)
  })

  it('make the API and git refuse the password alone; tokens continue to work', async () => {
    const { user } = await server.world.user('gina')
    const gina = await byPassword('gina')
    const { json } = await server.anonymous.post(
      '/users/gina/tokens',
      { name: 'api', scopes: ['all'] },
      { authorization: `Basic ${Buffer.from(`gina:${PASSWORD}`).toString('base64')}` },
    )
    await server.world.repo({ owner: user, name: 'mine', isPrivate: true })
    await add(gina, new Authenticator(ORIGIN))
    const refused = await basic('gina', PASSWORD)
    expect([refused.status, refused.json.message]).toEqual([
      401,
      'basic authorization is not allowed while WebAuthn enrolled',
    ])
    expect((await basic('gina', 'wrong')).json.message).toBe('invalid username, password or token')
    expect((await basic('gina', json.sha1)).status).toBe(200)
    const refs = (password: string) =>
      fetch(`${server.url}/gina/mine.git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Basic ${Buffer.from(`gina:${password}`).toString('base64')}` },
      })
    const git = await refs(PASSWORD)
    expect([git.status, await git.text()]).toEqual([401, expect.stringContaining('personal access token')])
    expect((await refs(json.sha1)).status).toBe(200)
    const names = async (query: string) =>
      (await root.client.get(`/admin/users?q=gina&${query}`)).json.map((found: { login: string }) => found.login)
    expect([await names('is_2fa_enabled=true'), await names('is_2fa_enabled=false')]).toEqual([['gina'], []])
  })

  it('are refused from another origin, host or frame, and without verification of the user', async () => {
    const device = await enrolled('hugo')
    for (const ways of [
      { origin: 'https://evil.test' },
      { origin: 'https://git.example.test:8443' },
      { origin: 'http://git.example.test' },
      { origin: 'https://sub.git.example.test' },
      { rpId: 'example.test' },
      { crossOrigin: true },
      { verifiesUser: false },
      { challenge: 'AAAA' },
      { userHandle: '' },
      { userHandle: 'AAAA' },
    ]) {
      const { status, isSignedIn, page } = await alone(device, ways)
      expect([ways, status, isSignedIn]).toEqual([ways, 401, false])
      expect(page.page.text).toContain('This passkey was not accepted')
    }
    expect((await alone(device)).isSignedIn).toBe(true)
  })

  it('are refused in a response that contains nothing', async () => {
    const device = await enrolled('nil')
    for (const content of [null, {}, { userHandle: 1 }, { clientDataJSON: 'e30' }]) {
      const page = browser()
      await page.open(LOGIN)
      const { id } = JSON.parse(device.get(requestOptions(page))) as { id: string }
      const response = JSON.stringify({ id, response: content })
      expect((await page.send({ response }, { form: passkeyForm(page) })).status, response).toBe(401)
    }
  })

  it('are refused for the account of another user', async () => {
    const device = await enrolled('iris')
    await enrolled('jack')
    const page = await byPassword('jack')
    expect(await use(page, device)).toEqual({ status: 401, isSignedIn: false })
    const unknown = new Authenticator(ORIGIN)
    unknown.create({
      rp: { id: 'git.example.test', name: 'x' },
      user: { id: 'AAAA', name: 'x', displayName: 'x' },
      challenge: 'AAAA',
    })
    expect((await alone(unknown)).isSignedIn).toBe(false)
  })

  it('sign each challenge once, in one browser, within ten minutes, and for one purpose', async () => {
    const device = await enrolled('kate')
    const page = browser()
    await page.open(LOGIN)
    const form = page.page.forms[passkeyForm(page)]!
    const response = device.get(requestOptions(page))
    const formCookie = page.cookies.get('__Host-ingot_form')!
    const send = (fields: Record<string, string>, cookie = formCookie) =>
      fetch(server.url + form.action, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: `__Host-ingot_form=${cookie}` },
        body: new URLSearchParams({ ...form.fields, ...fields }),
      })
    const statuses = async () =>
      (await Promise.all([1, 2, 3].map(() => send({ response })))).map(({ status }) => status)
    expect((await statuses()).toSorted((a, b) => a - b)).toEqual([303, 401, 401])
    expect(await statuses()).toEqual([401, 401, 401])

    const other = browser()
    await other.open(LOGIN)
    const fields = other.page.forms[passkeyForm(other)]!.fields
    const swapped = device.get(requestOptions(other))
    expect((await send({ response: swapped, passkey_ticket: fields['passkey_ticket']! })).status).toBe(401)

    const late = browser()
    await late.open(LOGIN)
    ahead += 10 * MINUTE + 1
    expect((await use(late, device)).isSignedIn).toBe(false)

    const second = await byPassword('kate')
    const stolen = second.page.forms[passkeyForm(second)]!.fields['passkey_ticket']!
    const answer = device.get(requestOptions(second))
    const first = browser()
    await first.open(LOGIN)
    await first.send({ response: answer, passkey_ticket: stolen }, { form: passkeyForm(first) })
    expect(first.cookies.has(SESSION)).toBe(false)
    ahead += 30 * MINUTE
    await alone(device)
    expect((await rows(server, 'used_passkey_challenge')).length).toBe(1)
  })

  it('are refused when the counter of signatures does not advance', async () => {
    const device = new Authenticator(ORIGIN)
    device.counter = 5
    await enrolled('luke', device)
    expect((await alone(device)).isSignedIn).toBe(true)
    for (const counter of [6, 5, 0]) expect((await alone(device, { counter })).isSignedIn).toBe(false)
    device.counter = 100
    expect((await alone(device)).isSignedIn).toBe(true)
  })

  it('are not registered twice, with certificates, with another challenge, or from another origin', async () => {
    await server.world.user('mary')
    const mary = await byPassword('mary')
    const device = new Authenticator(ORIGIN)
    for (const ways of [
      { origin: 'https://evil.test' },
      { rpId: 'evil.test' },
      { challenge: 'AAAA' },
      { crossOrigin: true },
      { attestation: { fmt: 'packed', attStmt: new Map([['x5c', []]]) } },
      { attestation: { fmt: 'android-safetynet', attStmt: new Map() } },
    ]) {
      expect([ways, await add(mary, device, 'x', ways)]).toEqual([ways, 422])
    }
    for (const response of ['', '{}', 'null', '[]', '{"id":"a","response":null}', `"${'x'.repeat(20_000)}"`]) {
      await mary.open(PASSKEYS)
      expect((await mary.send({ name: 'x', response }, { form: passkeyForm(mary) })).status).toBe(422)
    }
    await mary.open(PASSKEYS)
    const form = passkeyForm(mary)
    const { fields, action } = mary.page.forms[form]!
    const response = device.create(creationOptions(mary))
    expect((await mary.send({ name: 'Once', response }, { form })).status).toBe(200)
    const replayed = await fetch(server.url + action, {
      method: 'POST',
      headers: { cookie: `${SESSION}=${mary.cookies.get(SESSION)}` },
      body: new URLSearchParams({ ...fields, name: 'Twice', response }),
    })
    expect(replayed.status).toBe(422)
    expect(mary.page.text.match(/added 2/g)).toHaveLength(1)
  })

  it('are not accepted from prohibited accounts, and lead those to a new password who need one', async () => {
    const device = await enrolled('nick')
    const edit = (body: object) => root.client.patch('/admin/users/nick', { source_id: 0, login_name: 'nick', ...body })
    await edit({ must_change_password: true })
    const { page } = await alone(device)
    expect([page.page.text.includes('New password'), page.cookies.has(SESSION)]).toEqual([true, false])
    await page.send({ password: 'An0ther-horse!', password_again: 'An0ther-horse!' })
    expect(page.cookies.has(SESSION)).toBe(true)
    await edit({ active: false })
    expect(await alone(device)).toMatchObject({ status: 403, isSignedIn: false })
  })

  it('are in the audit log, which says that a passkey signed in', async () => {
    const device = await enrolled('olga')
    const { page } = await alone(device)
    await alone(device, { origin: 'https://evil.test' })
    await page.open(PASSKEYS)
    await page.send({}, { form: page.page.forms.findIndex(({ action }) => action.endsWith('/delete')) })
    await server.drain()
    const { json } = await root.client.get('/admin/audit?target=olga&limit=50')
    const seen = json.map((entry: Entry) => `${entry.action} ${entry.credential.kind}`)
    expect(seen).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^passkey\.added/),
        expect.stringMatching(/^passkey\.deleted/),
        expect.stringMatching(/^sign-in\.succeeded passkey/),
      ]),
    )
    const { json: failed } = await root.client.get('/admin/audit?action=sign-in.failed')
    expect(failed.some((entry: Entry) => entry.credential.kind === 'passkey')).toBe(true)
  })

  it('need one script, which the policy of the page allows by hash; other pages allow no script', async () => {
    const page = browser()
    await page.open(LOGIN)
    const script = /<script>([\s\S]*)<\/script>/.exec(page.page.text)![1]!
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(script))).toString('base64')
    const policy = (): string => page.page.headers.get('content-security-policy')!
    expect(policy()).toContain(`script-src 'sha256-${digest}';`)
    expect(script.length).toBeLessThan(1500)
    expect(page.page.text).toMatch(/<button type="button" hidden data-passkey="get"/)
    await page.open('/user/login/none')
    expect(page.page.text).not.toContain('<script>')
    await server.world.user('paul')
    const paul = await byPassword('paul')
    expect(paul.page.url).toBe(server.url + HOME)
    expect([paul.page.text.includes('<script>'), paul.page.headers.get('content-security-policy')]).toEqual([
      false,
      expect.not.stringContaining('script-src'),
    ])
  })
})
