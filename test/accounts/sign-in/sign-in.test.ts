import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemActor } from '../../../src/core/access/viewer.ts'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { totpCode, totpStep } from '../../../src/core/platform/crypto/totp.ts'
import { createBrowser, type Browser } from '../../harness/browser.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD } from '../../harness/world.ts'

const LOGIN = '/user/login'
const HOME = '/user/applications'

describeOnBoth('signing in on the pages', (kind) => {
  let server: TestServer
  let ahead = 0
  const now = () => systemClock.now() + ahead

  beforeAll(async () => {
    server = await startServer({
      on: kind,
      clock: { now },
      settings: { 'security.session_lifetime': '2' },
      tuning: { loginAttempts: 4 },
    })
    await server.world.user('alice')
  })
  afterAll(() => server.close())

  const browser = (): Browser => createBrowser(server.url)
  async function signedIn(name = 'alice'): Promise<Browser> {
    const made = browser()
    await made.open(LOGIN)
    await made.send({ user_name: name, password: PASSWORD })
    expect(made.page.url).toBe(server.url + HOME)
    return made
  }

  it('redirects to the page when required, and back', async () => {
    const alice = browser()
    const asked = await alice.open(`${HOME}?x=1`)
    expect(asked.url).toBe(`${server.url}${LOGIN}?redirect_to=${encodeURIComponent(`${HOME}?x=1`)}`)
    const page = await alice.send({ user_name: 'Alice@example.test', password: PASSWORD })
    expect([page.status, page.url]).toEqual([200, `${server.url}${HOME}?x=1`])
    expect(page.text).toContain('Signed in as <strong>alice</strong>')
    expect((await alice.open(LOGIN)).url).toBe(server.url + HOME)
  })

  it('redirects to this server only', async () => {
    for (const to of [
      '//evil.test/',
      'https://evil.test/',
      '/\\evil.test',
      '/%0a//evil.test',
      '\t//evil.test',
      'evil',
      '/a\r\nb',
      '@evil.test',
      '/.//evil.test',
      '/..//evil.test',
      '/%2e//evil.test',
      '/x/..//evil.test',
    ]) {
      const alice = browser()
      await alice.open(`${LOGIN}?redirect_to=${encodeURIComponent(to)}`)
      const page = await alice.send({ user_name: 'alice', password: PASSWORD })
      expect([to, new URL(page.url).origin]).toEqual([to, server.url])
      const again = await fetch(`${server.url}${LOGIN}?redirect_to=${encodeURIComponent(to)}`, {
        headers: { cookie: `ingot_session=${alice.cookies.get('ingot_session')}` },
        redirect: 'manual',
      })
      const location = again.headers.get('location')!
      expect([to, again.status, new URL(location, server.url).origin]).toEqual([to, 303, server.url])
    }
  })

  it('sets a cookie that scripts and other sites cannot read and the API does not accept', async () => {
    const answer = await fetch(server.url + LOGIN)
    expect(answer.headers.getSetCookie()[0]).toMatch(/^ingot_form=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax$/)
    const alice = await signedIn()
    const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    expect(cookie).toMatch(/^ingot_session=[0-9a-f]{64}$/)
    expect((await server.anonymous.get('/user', { cookie })).status).toBe(401)
    expect((await server.anonymous.post('/user/repos', { name: 'x' }, { cookie })).status).toBe(401)
    const stored = await server.app.database.read.selectFrom('web_session').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(alice.cookies.get('ingot_session'))
  })

  it('gives access to files at addresses outside of the API until the session ends', async () => {
    const alice = await signedIn()
    const person = await server.app.users.findByName('alice')
    await server.world.repo({ owner: person!, name: 'mine', isPrivate: true, autoInit: true, defaultBranch: 'main' })
    const path = '/alice/mine/raw/branch/main/README.md'
    expect((await browser().open(path)).status).toBe(404)
    expect([(await alice.open(path)).status, alice.page.text]).toEqual([200, '# mine\n\n'])
    const cookie = `ingot_session=${alice.cookies.get('ingot_session')}`
    expect((await fetch(server.url + path, { headers: { cookie, authorization: 'token wrong' } })).status).toBe(401)
    await alice.open(HOME)
    await alice.send({})
    expect((await fetch(server.url + path, { headers: { cookie } })).status).toBe(404)
  })

  it('forbids scripts, frames and caching, and escapes its content', async () => {
    const page = await browser().open(LOGIN)
    const policy = page.headers.get('content-security-policy')!
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    )
    expect([
      page.headers.get('cache-control'),
      page.headers.get('x-frame-options'),
      page.headers.get('x-content-type-options'),
    ]).toEqual(['no-store', 'DENY', 'nosniff'])
    const evil = browser()
    await evil.open(`${LOGIN}?redirect_to=${encodeURIComponent('/"><script>alert(1)</script>')}`)
    expect(evil.page.text).not.toContain('<script>')
    const wrong = await evil.send({ user_name: '"><script>alert(1)</script>', password: 'x' })
    expect(wrong.status).toBe(401)
    expect(wrong.text).not.toContain('<script>')
  })

  it('accepts forms only of its own pages in the same browser', async () => {
    const fill = { user_name: 'alice', password: PASSWORD }
    const alice = browser()
    await alice.open(LOGIN)
    expect((await alice.send({ ...fill, form_token: '' })).status).toBe(403)
    await alice.open(LOGIN)
    expect((await alice.send(fill, { headers: { origin: 'https://evil.test' } })).status).toBe(403)
    await alice.open(LOGIN)
    expect((await alice.send(fill, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
    const other = browser()
    await other.open(LOGIN)
    await alice.open(LOGIN)
    expect((await other.send({ ...fill, form_token: alice.page.forms[0]!.fields['form_token']! })).status).toBe(403)
    other.cookies.clear()
    await other.open(LOGIN)
    other.cookies.clear()
    expect((await other.send(fill)).status).toBe(403)
    expect((await alice.send(fill)).status).toBe(200)
    const home = await alice.open(HOME)
    expect(
      (
        await fetch(`${server.url}/user/logout`, {
          method: 'POST',
          headers: { cookie: `ingot_session=${alice.cookies.get('ingot_session')}` },
        })
      ).status,
    ).toBe(403)
    expect(home.status).toBe(200)
  })

  it('ends by signing out, with time, with a new password and with the account', async () => {
    const out = await signedIn()
    const value = out.cookies.get('ingot_session')!
    expect((await out.send({})).url).toContain(LOGIN)
    out.cookies.set('ingot_session', value)
    expect((await out.open(HOME)).url).toContain(LOGIN)
    const late = await signedIn()
    ahead += 2 * 3_600_000 + 1000
    expect((await late.open(HOME)).url).toContain(LOGIN)
    const root = await server.world.admin()
    const zoe = await server.world.user('zoe')
    const changed = await signedIn('zoe')
    await root.client.patch('/admin/users/zoe', {
      source_id: 0,
      login_name: 'zoe',
      password: PASSWORD,
      must_change_password: false,
    })
    expect((await changed.open(HOME)).url).toContain(LOGIN)
    const blocked = await signedIn('zoe')
    await root.client.patch('/admin/users/zoe', { source_id: 0, login_name: 'zoe', active: false })
    expect((await blocked.open(HOME)).url).toContain(LOGIN)
    await blocked.open(LOGIN)
    expect((await blocked.send({ user_name: zoe.name, password: PASSWORD })).status).toBe(403)
  })

  it('slows guessing down together with the API', async () => {
    await server.world.user('guessed')
    const guesser = browser()
    for (const name of ['guessed', 'Guessed', ' guessed ', 'guessed@example.test']) {
      await guesser.open(LOGIN)
      expect((await guesser.send({ user_name: name, password: 'wrong' })).status).toBe(401)
    }
    const before = performance.now()
    const basic = `Basic ${Buffer.from('guessed:wrong').toString('base64')}`
    expect((await server.anonymous.get('/user', { authorization: basic })).status).toBe(401)
    expect(performance.now() - before).toBeGreaterThan(190)
  })

  it('changes the password, before anything else if an administrator requires it', async () => {
    const { user } = await server.world.user('newbie', { mustChangePassword: true })
    const newbie = browser()
    await newbie.open(`${LOGIN}?redirect_to=${encodeURIComponent(`${HOME}?then=1`)}`)
    const asked = await newbie.send({ user_name: 'newbie', password: PASSWORD })
    expect([asked.text.includes('New password'), newbie.cookies.has('ingot_session')]).toEqual([true, false])
    expect((await newbie.send({ password: 'short', password_again: 'short' })).status).toBe(422)
    expect((await newbie.send({ password: 'An0ther-horse!', password_again: 'other' })).status).toBe(422)
    const { ticket } = newbie.page.forms[0]!.fields
    const thief = browser()
    await thief.open(LOGIN)
    await thief.send({ user_name: 'newbie', password: PASSWORD })
    expect(
      (await thief.send({ ticket: ticket!, password: 'An0ther-horse!', password_again: 'An0ther-horse!' })).status,
    ).toBe(403)
    const slow = browser()
    await slow.open(LOGIN)
    await slow.send({ user_name: 'newbie', password: PASSWORD })
    expect((await newbie.send({ password: 'An0ther-horse!', password_again: 'An0ther-horse!' })).url).toBe(
      `${server.url}${HOME}?then=1`,
    )
    const api = (password: string) =>
      server.anonymous.get('/user', {
        authorization: `Basic ${Buffer.from(`${user.name}:${password}`).toString('base64')}`,
      })
    expect([(await api('An0ther-horse!')).status, (await api(PASSWORD)).status]).toEqual([200, 401])
    const late = await slow.send({ password: 'Th1rd-horse!', password_again: 'Th1rd-horse!' })
    expect([late.status, (await api('An0ther-horse!')).status]).toEqual([403, 200])

    const elsewhere = browser()
    await elsewhere.open(LOGIN)
    await elsewhere.send({ user_name: 'newbie', password: 'An0ther-horse!' })
    await newbie.open('/user/change_password')
    expect(
      (await newbie.send({ old_password: 'wrong', password: 'Th1rd-horse!', password_again: 'Th1rd-horse!' })).status,
    ).toBe(401)
    expect(
      (await newbie.send({ old_password: 'An0ther-horse!', password: 'Th1rd-horse!', password_again: 'Th1rd-horse!' }))
        .url,
    ).toBe(server.url + HOME)
    expect((await elsewhere.open(HOME)).url).toContain(LOGIN)
    expect((await browser().open('/user/change_password')).url).toContain(LOGIN)
  })

  it('asks enrolled users for a one-time code, and accepts each once', async () => {
    const { user } = await server.world.user('coded')
    const { secret } = await server.app.twoFactor.begin(user)
    const bits = [...secret]
      .map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'))
      .join('')
    const bytes = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
    const code = (): string => totpCode(bytes, totpStep(((ahead += 30_000), now())))
    const recovery = await server.app.twoFactor.confirm(systemActor, user.id, code())
    const coded = browser()
    await coded.open(LOGIN)
    const step = await coded.send({ user_name: 'coded', password: PASSWORD })
    expect([step.status, coded.cookies.has('ingot_session')]).toEqual([200, false])
    expect(step.text).toContain('one-time-code')
    expect((await coded.send({ code: '000 00' })).status).toBe(401)
    const right = code()
    expect((await coded.send({ code: right })).url).toBe(server.url + HOME)
    const again = browser()
    await again.open(LOGIN)
    await again.send({ user_name: 'coded', password: PASSWORD })
    const { ticket } = again.page.forms[0]!.fields
    expect((await again.send({ code: right })).status).toBe(401)
    const thief = browser()
    await thief.open(LOGIN)
    expect((await thief.send({ user_name: 'coded', password: PASSWORD })).status).toBe(200)
    expect((await thief.send({ ticket: ticket!, code: code() })).text).toContain('Give your password again')
    await again.open(LOGIN)
    await again.send({ user_name: 'coded', password: PASSWORD })
    expect((await again.send({ code: recovery[0]! })).url).toBe(server.url + HOME)
    const old = browser()
    await old.open(LOGIN)
    await old.send({ user_name: 'coded', password: PASSWORD })
    await server.app.users.edit(systemActor, user, { password: 'An0ther-horse!' })
    expect((await old.send({ code: code() })).text).toContain('Give your password again')
  })
})
