import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemActor } from '../../../src/core/access/viewer.ts'
import { createBrowser, type Browser } from '../../harness/browser.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { Authenticator, creationOptions, passkeyForm } from './authenticator.ts'

const ORIGIN = 'https://git.example.test'
const PASSKEYS = '/user/passkeys'
const SESSION = '__Host-ingot_session'

describeOnBoth('recovery codes of accounts with passkeys', (kind) => {
  let server: TestServer
  let root: Person

  beforeAll(async () => {
    server = await startServer({ on: kind, settings: { 'server.root_url': ORIGIN } })
    root = await server.world.admin()
  })
  afterAll(() => server.close())

  async function byPassword(name: string): Promise<Browser> {
    const made = createBrowser(server.url)
    await made.open('/user/login')
    await made.send({ user_name: name, password: PASSWORD })
    return made
  }

  async function add(page: Browser): Promise<void> {
    await page.open(PASSKEYS)
    const response = new Authenticator(ORIGIN).create(creationOptions(page))
    expect((await page.send({ name: 'Phone', response }, { form: passkeyForm(page) })).status).toBe(200)
  }

  it('work once after the password, and end with the last passkey', async () => {
    const { user } = await server.world.user('rita')
    const page = await byPassword('rita')
    await add(page)
    expect(page.page.text).toContain('You have 0 recovery codes')
    const formOf = (part: string) => page.page.forms.findIndex(({ action }) => action.endsWith(part))
    const renew = async (): Promise<string[]> => {
      const { text } = await page.send({}, { form: formOf('/recovery_codes') })
      await page.open(PASSKEYS)
      return [...text.matchAll(/<code>([^<]*)<\/code>/g)].map(([, code]) => code!)
    }
    const [old] = await renew()
    const codes = await renew()
    expect(new Set(codes).size).toBe(10)
    expect(page.page.text).toContain('You have 10 recovery codes')
    const byCode = async (code: string) => {
      const asked = await byPassword('rita')
      expect(asked.page.text).toContain('Recovery code')
      await asked.send({ code })
      return asked.cookies.has(SESSION)
    }
    expect([await byCode(old!), await byCode('123456'), await byCode(codes[0]!), await byCode(codes[0]!)]).toEqual([
      false,
      false,
      true,
      false,
    ])
    const codesLeft = () => server.app.twoFactor.countRecoveryCodes(user.id)
    await server.app.twoFactor.begin(user)
    expect(await codesLeft(), 'an app that is not confirmed changes nothing').toBe(9)
    const authorization = `Basic ${Buffer.from(`rita:${PASSWORD}`).toString('base64')}`
    const api = await server.anonymous.get('/user', { authorization, 'x-forge-otp': codes[1]! })
    expect([api.status, await codesLeft()], 'the API takes none').toEqual([401, 9])
    await server.drain()
    const { json } = await root.client.get('/admin/audit?action=sign-in.succeeded&target=rita')
    expect(json[0]).toMatchObject({ credential: { kind: 'password' }, details: { second_factor: 'recovery-code' } })
    await page.send({}, { form: formOf('/delete') })
    expect([await codesLeft(), (await byPassword('rita')).cookies.has(SESSION)]).toEqual([0, true])
  })

  it('stay while the account has passkeys or one-time codes', async () => {
    const { user } = await server.world.user('sven')
    const page = await byPassword('sven')
    await add(page)
    await server.app.twoFactor.begin(user)
    await server.app.database.transaction((tx) =>
      tx.updateTable('two_factor').set({ is_confirmed: 1 }).where('user_id', '=', user.id).execute(),
    )
    await server.app.twoFactor.renewRecoveryCodes(systemActor, user.id)
    const codesLeft = () => server.app.twoFactor.countRecoveryCodes(user.id)
    await server.app.passkeys.delete(systemActor, user.id)
    expect(await codesLeft()).toBe(10)
    await add(page)
    await server.app.twoFactor.disable(systemActor, user.id)
    expect(await codesLeft()).toBe(10)
    await server.app.passkeys.delete(systemActor, user.id)
    expect(await codesLeft()).toBe(0)
    await expect(server.app.twoFactor.renewRecoveryCodes(systemActor, user.id)).rejects.toThrow()
  })
})
