import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { totpCode, totpStep } from '../../../src/core/platform/crypto/totp.ts'
import { createBrowser } from '../../harness/browser.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { dnOf, findSlapd, PEOPLE } from '../../harness/directory.ts'
import { fromBase32 } from '../sign-in/base32.ts'
import { ldapWorld } from './ldap-fixture.ts'

const slapd = findSlapd()

describe.skipIf(slapd === undefined)('accounts of a directory', () => {
  describeOnBoth('sign-in', (kind) => {
    const world = ldapWorld(slapd!, { on: kind })
    const me = async (login: string, password?: string) => world.as(login, password).get('/user')

    it('makes the account at the first sign-in, with what the directory says', async () => {
      const id = await world.addSource('people')
      await world.directory.addPerson('Ann.Archer', { cn: 'Ann Archer' })
      const first = await me('ann.archer', 'Ann.Archer-password')
      expect([first.status, first.json]).toMatchObject([
        200,
        {
          login: 'Ann.Archer',
          login_name: 'Ann.Archer',
          source_id: id,
          full_name: 'Ann Archer',
          email: 'Ann.Archer@corp.test',
          active: true,
          is_admin: false,
        },
      ])
      const second = await me('Ann.Archer')
      expect([second.status, second.json.id]).toEqual([200, first.json.id])
      expect((await me('ann.archer@corp.test', 'Ann.Archer-password')).json.id).toBe(first.json.id)
    })

    it.each([
      ['a wrong password', 'Ann.Archer', 'wrong'],
      ['no password, which directories take for an anonymous bind', 'Ann.Archer', ''],
      ['an unknown name', 'nobody', 'nobody-password'],
      ['a name that would be a filter', '*', 'Ann.Archer-password'],
      ['a name that ends the filter', 'Ann.Archer)(uid=*', 'Ann.Archer-password'],
      ['a name that adds to the filter', '*)(objectClass=*', 'Ann.Archer-password'],
      ['the name of a mechanism', 'EXTERNAL', 'Ann.Archer-password'],
      ['a name of spaces', '   ', 'Ann.Archer-password'],
    ])('refuses %s', async (_, login, password) => {
      const refused = await me(login, password)
      expect([refused.status, refused.json.message]).toEqual([401, 'invalid username, password or token'])
    })

    it('never assigns an account of this server to a directory entry with the same name', async () => {
      const bob = await world.server.world.user('bob')
      await world.directory.addPerson('bob')
      expect((await me('bob')).status).toBe(401)
      expect((await bob.client.get('/user')).json.id).toBe(bob.user.id)
      await world.directory.addPerson('robert', { mail: 'bob@example.test' })
      expect((await me('robert')).status, 'nor the account with the address').toBe(401)
    })

    it('never assigns the account of an entry to another entry with the same name', async () => {
      await world.directory.addPerson('eve')
      const { json } = await me('eve')
      await world.directory.admin((client) => client.del(dnOf('eve')))
      await world.directory.addPerson('eve', { cn: 'Eve the Second' })
      expect((await me('eve', 'eve-password-2')).status).toBe(401)
      // Within the minute for which right passwords are remembered, only a new password shows it.
      await world.directory.admin((client) => client.del(dnOf('eve')))
      await world.directory.addPerson('eve', { password: 'eve-password-3' })
      expect((await me('eve', 'eve-password-3')).status).toBe(401)
      // Until an administrator says that it is the same person.
      await world.root.client.patch('/admin/users/eve', { login_name: 'eve' })
      expect((await me('eve', 'eve-password-3')).json.id).toBe(json.id)
    })

    it('finds the account again when the directory renames the person', async () => {
      await world.directory.addPerson('miss')
      const { json } = await me('miss')
      await world.directory.admin((client) => client.modifyDN(dnOf('miss'), 'uid=mrs'))
      const renamed = await me('mrs', 'miss-password')
      expect([renamed.status, renamed.json]).toMatchObject([200, { id: json.id, login: 'miss', login_name: 'mrs' }])
    })

    it('binds an account that an administrator made, and refuses its old password', async () => {
      const cyd = await world.server.world.user('cyd')
      await world.directory.addPerson('c.clark')
      const [source] = (await world.root.client.get('/admin/auth-sources')).json as { id: number }[]
      await world.root.client.patch('/admin/users/cyd', { source_id: source!.id, login_name: 'c.clark' })
      expect((await cyd.client.get('/user')).status).toBe(401)
      for (const login of ['cyd', 'c.clark'])
        expect((await me(login, 'c.clark-password')).json.id, login).toBe(cyd.user.id)
    })

    it('makes one account when several processes see the person at once', async () => {
      for (const name of ['ivy', 'ida', 'ian', 'ilse']) {
        await world.directory.addPerson(name)
        const decider = await world.server.app.passwordSources.decider(name, undefined)
        const users = await Promise.all(Array.from({ length: 10 }, () => decider!.verify(`${name}-password`)))
        const { id } = (await me(name)).json as { id: number }
        expect(users.map((accepted) => accepted?.user.id)).toEqual(Array.from({ length: 10 }, () => id))
      }
    })

    it('are recorded in the audit log with the source that checked the password', async () => {
      const id = await world.addSource('second', { user_filter: '(&(title=guest)(uid=%s))' })
      await world.directory.addPerson('uma', { title: 'guest' })
      const [people] = (await world.root.client.get('/admin/auth-sources')).json as { id: number; name: string }[]
      await world.root.client.patch(`/admin/auth-sources/${people!.id}`, {
        ldap: { user_filter: '(&(objectClass=inetOrgPerson)(uid=%s)(!(title=guest)))' },
      })
      const browser = createBrowser(world.server.url)
      await browser.open('/user/login')
      await browser.send({ user_name: 'uma', password: 'uma-password' })
      // Once more from the cache of right passwords.
      await me('uma')
      await world.as('uma').post('/users/uma/tokens', { name: 'recorded', scopes: ['read:user'] })
      await world.server.drain()
      const entries = (await world.root.client.get('/admin/audit?actor=uma')).json as { action: string }[]
      const of = (action: string) => entries.find((entry) => entry.action === action)
      for (const action of ['sign-in.succeeded', 'token.created'])
        expect(of(action), action).toMatchObject({ credential: { kind: 'ldap', id, name: 'second' } })
      const entry = (await world.root.client.get('/admin/audit?actor=root')).json[0]
      expect(entry.credential.kind, 'a password of this server').not.toBe('ldap')
      await world.root.client.patch(`/admin/auth-sources/${people!.id}`, {
        ldap: { user_filter: '(&(objectClass=inetOrgPerson)(uid=%s))' },
      })
      await world.root.client.patch(`/admin/auth-sources/${id}`, { is_active: false })
    })

    it('of an inactive source cannot sign in; other accounts can', async () => {
      const [source] = (await world.root.client.get('/admin/auth-sources')).json as { id: number }[]
      await world.root.client.patch(`/admin/auth-sources/${source!.id}`, { is_active: false })
      await world.directory.addPerson('fay')
      expect((await me('fay')).status).toBe(401)
      expect((await world.root.client.get('/user')).status).toBe(200)
      await world.root.client.patch(`/admin/auth-sources/${source!.id}`, { is_active: true })
      expect((await me('fay')).status).toBe(200)
    })
  })

  describeOnBoth('failed sign-ins', (kind) => {
    const world = ldapWorld(slapd!, { on: kind })

    it('are recorded with the source that refused the password, also where only the code is wrong', async () => {
      const filter = (title: string): string => `(&(title=${title})(uid=%s))`
      await world.addSource('staff', { user_filter: filter('staff') })
      const id = await world.addSource('guests', { user_filter: filter('guest') })
      await world.directory.addPerson('vic', { title: 'guest' })
      const { json: vic } = await world.as('vic').get('/user')
      const git = `${world.server.url}/vic/none.git/info/refs?service=git-upload-pack`
      const authorization = `Basic ${Buffer.from('vic:wrong').toString('base64')}`
      const openPage = async () => {
        const browser = createBrowser(world.server.url)
        await browser.open('/user/login')
        return browser
      }
      const newest = async () => {
        await world.server.app.signInRecords.flush()
        await world.server.drain()
        return (await world.root.client.get('/admin/audit?action=sign-in.failed&limit=1')).json[0]
      }
      const guest = { credential: { kind: 'ldap', id, name: 'guests' }, target: { id: vic.id } }
      let last = 0
      const expectFailure = async (where: string, status: number, entry: object) => {
        const found = await newest()
        expect([where, status, found]).toMatchObject([where, 401, { ...entry, details: { attempts: 1 } }])
        expect(found.id, `${where} has an entry of its own`).toBeGreaterThan(last)
        last = found.id
      }
      await expectFailure('the API', (await world.as('vic', 'wrong').get('/user')).status, guest)
      await expectFailure('git', (await fetch(git, { headers: { authorization } })).status, guest)
      const page = await openPage()
      await expectFailure('the page', (await page.send({ user_name: 'vic', password: 'wrong' })).status, guest)
      const either = { credential: { kind: 'ldap', id: 0, name: '' }, target: { id: 0 } }
      await expectFailure('an unknown name', (await world.as('none', 'wrong').get('/user')).status, either)

      const { json: begun } = await world.as('vic').post('/user/two_factor')
      const code = totpCode(fromBase32(begun.secret), totpStep(systemClock.now()))
      expect((await world.as('vic').post('/user/two_factor/confirm', { code })).status).toBe(200)
      await expectFailure('no code for the API', (await world.as('vic').get('/user')).status, guest)
      const second = await openPage()
      await second.send({ user_name: 'vic', password: 'vic-password' })
      await expectFailure('a wrong code on the page', (await second.send({ code: '000000' })).status, guest)
    })
  })

  describe('by a template of names', () => {
    const world = ldapWorld(slapd!)
    const status = async (login: string, password: string): Promise<number> =>
      (await world.as(login, password).get('/user')).status

    it('binds at once, and reads the entry as the user', async () => {
      await world.addSource('template', {
        user_dn: `uid=%s,${PEOPLE}`,
        bind_dn: '',
        bind_password: '',
        user_search_base: '',
        group_search_base: '',
        user_filter: '(&(objectClass=inetOrgPerson)(uid=%s)(!(title=guest)))',
      })
      await world.directory.addPerson('gus', { cn: 'Gus' })
      await world.directory.addPerson('hal', { title: 'guest' })
      expect((await world.as('gus').get('/user')).json).toMatchObject({ login: 'gus', full_name: 'Gus' })
      expect(await status('gus', 'wrong')).toBe(401)
      expect(await status('hal', 'hal-password'), 'the filter excludes it').toBe(401)
      for (const login of ['gus,', 'gus,ou=people', 'x+uid=gus', '*', '"gus"', String.raw`\67us`])
        expect(await status(login, 'gus-password'), login).toBe(401)
    })

    it('refuses to change the password, which is that of the directory', async () => {
      const browser = createBrowser(world.server.url)
      await browser.open('/user/login')
      await browser.send({ user_name: 'gus', password: 'gus-password' })
      await browser.open('/user/change_password')
      const refused = await browser.send({
        old_password: 'gus-password',
        password: 'An0ther-password!',
        password_again: 'An0ther-password!',
      })
      expect([refused.status, refused.text.includes('password of this account is that of')]).toEqual([422, true])
    })

    it('cannot be compared with the directory, which is said', async () => {
      const [source] = (await world.root.client.get('/admin/auth-sources')).json as { id: number }[]
      await world.root.client.post(`/admin/auth-sources/${source!.id}/sync`)
      await world.server.drain()
      expect((await world.root.client.get(`/admin/auth-sources/${source!.id}`)).json.last_sync).toMatchObject({
        complete: false,
        problems: ['the sign-in source template has no user_search_base'],
      })
    })
  })
})
