import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { totpCode, totpStep } from '../../../src/core/platform/crypto/totp.ts'
import { createClient } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { fromBase32 } from './base32.ts'

const PATH = '/user/two_factor'
const STEP = 30_000

describeOnBoth('two-factor authentication', (kind) => {
  let server: TestServer
  let ahead = 0
  const now = () => systemClock.now() + ahead

  beforeAll(async () => {
    server = await startServer({ on: kind, clock: { now }, tuning: { loginAttempts: 4 } })
  })
  afterAll(() => server.close())

  interface Enrolled extends Person {
    readonly secret: Buffer
    readonly recovery: string[]
    /** A code that was not used yet. */
    code(): string
  }

  async function enrol(name: string): Promise<Enrolled> {
    const person = await server.world.user(name)
    const begun = await person.client.post(PATH)
    const secret = fromBase32(begun.json.secret)
    const code = (): string => {
      ahead += STEP
      return totpCode(secret, totpStep(now()))
    }
    const confirmed = await person.client.post(`${PATH}/confirm`, { code: code() })
    expect(confirmed.status).toBe(200)
    return { ...person, secret, recovery: confirmed.json.recovery_codes, code }
  }

  it('is enrolled in two steps, by the user itself and with the password', async () => {
    expect((await server.anonymous.post(PATH)).status).toBe(401)
    const ann = await server.world.user('ann')
    const token = await ann.token('all')
    for (const headers of [
      { authorization: `token ${token}` },
      { authorization: `Basic ${Buffer.from(`ann:${token}`).toString('base64')}` },
    ]) {
      expect((await server.anonymous.post(PATH, undefined, headers)).status).toBe(401)
      expect((await server.anonymous.delete(PATH, undefined, headers)).status).toBe(401)
    }
    expect((await ann.client.get(PATH)).json).toEqual({ enabled: false, pending: false, recovery_codes_left: 0 })
    expect((await ann.client.post(`${PATH}/confirm`, { code: '000000' })).status).toBe(404)
    const begun = await ann.client.post(PATH)
    expect(begun.status).toBe(201)
    expect(begun.json.secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(begun.json.url).toContain(
      `otpauth://totp/${encodeURIComponent(new URL(server.url).host)}:ann?secret=${begun.json.secret}&`,
    )
    expect((await ann.client.get(PATH)).json).toMatchObject({ enabled: false, pending: true })
    expect((await ann.client.post(`${PATH}/confirm`, { code: 'abcdef' })).status).toBe(422)
    expect((await ann.client.get('/user')).status).toBe(200)
    const stored = await rows(server, 'two_factor')
    expect(JSON.stringify(stored)).not.toContain(fromBase32(begun.json.secret).toString('hex'))
    const confirmed = await ann.client.post(`${PATH}/confirm`, {
      code: totpCode(fromBase32(begun.json.secret), totpStep(now())),
    })
    expect(new Set(confirmed.json.recovery_codes).size).toBe(10)
    expect((await ann.client.get('/user')).status).toBe(401)
    expect(
      (await createClient(server.url, server.app.operations, { authorization: `token ${token}` }).get('/user')).status,
    ).toBe(200)
  })

  it('accepts the code in any of four headers, each code once', async () => {
    const bob = await enrol('bob')
    const refused = await bob.client.get('/user')
    expect([refused.status, refused.json.message]).toEqual([401, 'invalid provided OTP'])
    for (const header of ['X-Forge-OTP', 'X-Ingot-OTP', 'X-Gitea-OTP', 'X-Forgejo-OTP']) {
      const code = bob.code()
      expect((await bob.client.get('/user', { [header]: code })).status).toBe(200)
      expect((await bob.client.get('/user', { [header]: code })).status).toBe(401)
    }
    const code = bob.code()
    const racing = await Promise.all(Array.from({ length: 4 }, () => bob.client.get('/user', { 'x-forge-otp': code })))
    expect(racing.filter((answer) => answer.status === 200)).toHaveLength(1)
    ahead += 15 * 60_000 + 1000
    const older = totpCode(bob.secret, totpStep(now()))
    expect((await bob.client.get('/user', { 'x-forge-otp': bob.code() })).status).toBe(200)
    expect((await bob.client.get('/user', { 'x-forge-otp': older })).status).toBe(401)
    const wrongPassword = {
      authorization: `Basic ${Buffer.from('bob:wrong').toString('base64')}`,
      'x-forge-otp': bob.code(),
    }
    expect((await server.anonymous.get('/user', wrongPassword)).json.message).toBe(
      'invalid username, password or token',
    )
  })

  it('is required to create tokens, and git requires such a token', async () => {
    const cid = await enrol('cid')
    const made = await cid.client.post(
      '/users/cid/tokens',
      { name: 'git', scopes: ['all'] },
      { 'x-gitea-otp': cid.code() },
    )
    expect(made.status).toBe(201)
    await server.world.repo({ owner: cid, name: 'mine', isPrivate: true })
    const refs = (password: string, otp: Record<string, string> = {}) =>
      fetch(`${server.url}/cid/mine.git/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Basic ${Buffer.from(`cid:${password}`).toString('base64')}`, ...otp },
      })
    const refused = await refs(PASSWORD)
    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining('personal access token')])
    expect((await refs(made.json.sha1)).status).toBe(200)
  })

  it('has recovery codes that work once each and can be renewed', async () => {
    const dan = await enrol('dan')
    const [first, second] = dan.recovery as [string, string]
    expect((await dan.client.get('/user', { 'x-forge-otp': first })).status).toBe(200)
    expect((await dan.client.get('/user', { 'x-forge-otp': first })).status).toBe(401)
    expect((await dan.client.get(PATH, { 'x-forge-otp': dan.code() })).json).toEqual({
      enabled: true,
      pending: false,
      recovery_codes_left: 9,
    })
    const renewed = await dan.client.post(`${PATH}/recovery_codes`, undefined, {
      'x-forge-otp': second.toUpperCase().replace('-', ''),
    })
    expect(renewed.json.recovery_codes).toHaveLength(10)
    expect((await dan.client.get('/user', { 'x-forge-otp': dan.recovery[2]! })).status).toBe(401)
    expect((await dan.client.get('/user', { 'x-forge-otp': renewed.json.recovery_codes[0] })).status).toBe(200)
    expect(JSON.stringify(await rows(server, 'two_factor_recovery'))).not.toContain(
      renewed.json.recovery_codes[1].replace('-', ''),
    )
  })

  it('limits guesses: after some wrong codes the right one is refused, too', async () => {
    const eve = await enrol('eve')
    for (let i = 0; i < 4; i++) expect((await eve.client.get('/user', { 'x-forge-otp': '12345' })).status).toBe(401)
    expect((await eve.client.get('/user', { 'x-forge-otp': eve.code() })).status).toBe(429)
    ahead += 15 * 60_000
    expect((await eve.client.get('/user', { 'x-forge-otp': eve.code() })).status).toBe(200)
  })

  it('is disabled by the user with a code, and visible to administrators', async () => {
    const fay = await enrol('fay')
    const root = await server.world.admin()
    const names = async (query: string) =>
      (await root.client.get(`/admin/users?q=fay&${query}`)).json.map((user: { login: string }) => user.login)
    expect([await names('is_2fa_enabled=true'), await names('is_2fa_enabled=false')]).toEqual([['fay'], []])
    expect((await fay.client.post(PATH, undefined, { 'x-forge-otp': fay.code() })).status).toBe(409)
    expect((await fay.client.delete(PATH)).status).toBe(401)
    expect((await fay.client.delete(PATH, undefined, { 'x-forge-otp': fay.code() })).status).toBe(204)
    expect((await fay.client.get('/user')).status).toBe(200)
    expect((await fay.client.delete(PATH)).status).toBe(404)
    expect([await names('is_2fa_enabled=true'), await names('is_2fa_enabled=false')]).toEqual([[], ['fay']])
  })
})
