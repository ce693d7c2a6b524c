import { beforeAll, describe, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { dnOf, findSlapd, GROUPS } from '../../harness/directory.ts'
import { newKey } from '../../harness/ssh-keys.ts'
import { ldapWorld } from './ldap-fixture.ts'

const slapd = findSlapd()

interface Account {
  readonly login: string
  readonly active: boolean
}

describe.skipIf(slapd === undefined)('the synchronization with a directory', () => {
  describeOnBoth('of accounts', (kind) => {
    const world = ldapWorld(slapd!, { on: kind })
    let path: string
    const accounts = async (): Promise<Record<string, boolean>> => {
      const { json } = await world.root.client.get<Account[]>('/admin/users?limit=50')
      return Object.fromEntries(
        (json as Account[]).filter(({ login }) => login !== 'root').map((a) => [a.login, a.active]),
      )
    }
    const lastSync = async () => (await world.root.client.get(path)).json.last_sync

    beforeAll(async () => {
      path = `/admin/auth-sources/${await world.addSource('people', { page_size: 2 })}`
      for (const uid of ['ann', 'bob', 'cyd', 'dan', 'eve']) await world.directory.addPerson(uid)
    })

    it('is a scheduled task, and makes an account for everybody, in pages', async () => {
      const tasks = (await world.root.client.get('/admin/cron?limit=50')).json as { name: string }[]
      expect(tasks.map(({ name }) => name)).toContain('sync_external_users')
      await world.synchronize()
      expect(await accounts()).toEqual({ ann: true, bob: true, cyd: true, dan: true, eve: true })
      expect(await lastSync()).toMatchObject({ complete: true, entries: 5, created: 5, deactivated: 0, problems: [] })
      await world.synchronize()
      expect(await lastSync()).toMatchObject({ entries: 5, created: 0, updated: 0, deactivated: 0, skipped: 0 })
      const [entry] = (await world.root.client.get('/admin/audit?action=sign-in-source.synchronized')).json
      expect(entry.details).toMatchObject({ name: 'people', complete: true, entries: 5 })
    })

    it('changes what the directory changed', async () => {
      await world.directory.change('ann', { cn: 'Ann New', mail: 'new@corp.test' })
      expect((await world.root.client.post(`${path}/sync`)).status).toBe(202)
      await world.server.drain()
      expect((await world.root.client.get('/users/ann')).json).toMatchObject({
        full_name: 'Ann New',
        email: 'new@corp.test',
      })
      expect(await lastSync()).toMatchObject({ updated: 1 })
    })

    it('deactivates accounts without an entry, and activates them again when the entry is back', async () => {
      const token = await world.as('bob').post('/users/bob/tokens', { name: 't', scopes: ['read:user'] })
      const bob = { authorization: `token ${token.json.sha1}` }
      await world.root.client.patch('/admin/users/dan', { active: false })
      await world.directory.admin((client) => client.modifyDN(dnOf('bob'), `uid=bob,${GROUPS}`))
      await world.synchronize()
      expect(await accounts()).toMatchObject({ ann: true, bob: false })
      expect(await lastSync()).toMatchObject({ complete: true, entries: 4, deactivated: 1 })
      expect((await world.server.anonymous.get('/user', bob)).status).toBe(403)
      await world.directory.admin((client) => client.modifyDN(`uid=bob,${GROUPS}`, dnOf('bob')))
      await world.synchronize()
      expect(await accounts()).toMatchObject({ bob: true })
      expect((await accounts())['dan'], 'not whom an administrator deactivated').toBe(false)
      expect((await world.server.anonymous.get('/user', bob)).status).toBe(200)
    })

    it('deactivates no account when the directory is unavailable or returns a part or nothing', async () => {
      const before = await accounts()
      const expectProblem = async (problem: string): Promise<void> => {
        await world.synchronize()
        expect(await accounts()).toEqual(before)
        const report = await lastSync()
        expect([report.complete, report.deactivated]).toEqual([false, 0])
        expect(report.problems[0]).toContain(problem)
      }
      await world.directory.stop()
      await expectProblem('ECONNREFUSED')
      await world.directory.restart('sizelimit 2')
      await world.root.client.patch(path, { ldap: { bind_dn: '', bind_password: '' } })
      await expectProblem('InsufficientAccess')
      await world.root.client.patch(path, {
        ldap: { bind_dn: 'cn=limited,dc=example,dc=test', bind_password: 'limited-secret' },
      })
      await expectProblem('SizeLimitExceeded')
      await world.root.client.patch(path, { ldap: { bind_dn: 'cn=reader,dc=example,dc=test', bind_password: 'wrong' } })
      await expectProblem('refuses bind_dn')
      await world.root.client.patch(path, { ldap: { bind_password: 'reader-secret', user_filter: '(uid=nobody-%s)' } })
      await expectProblem('knows nobody')
      await world.root.client.patch(path, { ldap: { user_filter: '(&(objectClass=inetOrgPerson)(uid=%s))' } })
      await world.directory.restart()
      await world.synchronize()
      expect(await lastSync()).toMatchObject({ complete: true, entries: 5 })
    })

    it('does not change accounts of this server, and reports entries that got no account', async () => {
      const zoe = await world.server.world.user('zoe')
      await world.directory.addPerson('zoe')
      await world.directory.addPerson('yan', { mail: 'zoe@example.test' })
      await world.synchronize()
      expect((await zoe.client.get('/user')).json).toMatchObject({ id: zoe.user.id, source_id: 0 })
      expect(await lastSync()).toMatchObject({ complete: true, created: 0, skipped: 2 })
      expect((await lastSync()).problems.join()).toContain('user already exists [name: zoe]')
      expect((await world.root.client.get('/users/yan')).status).toBe(404)
    })

    it('grants and revokes administration and restriction by filters', async () => {
      const user = async (name: string) => (await world.root.client.get(`/users/${name}`)).json
      await world.root.client.patch(path, {
        ldap: { admin_filter: '(title=chief)', restricted_filter: '(title=guest)' },
      })
      await world.directory.change('cyd', { title: 'chief' })
      await world.directory.change('eve', { title: 'guest' })
      await world.synchronize()
      expect([await user('cyd'), await user('eve'), await user('ann')]).toMatchObject([
        { is_admin: true, restricted: false },
        { is_admin: false, restricted: true },
        { is_admin: false, restricted: false },
      ])
      await world.directory.change('cyd', { title: 'guest' })
      await world.directory.change('eve', { title: 'none' })
      await world.synchronize()
      expect([await user('cyd'), await user('eve')]).toMatchObject([
        { is_admin: false, restricted: true },
        { is_admin: false, restricted: false },
      ])
      await world.root.client.patch(path, { ldap: { admin_filter: '', restricted_filter: '' } })
      await world.root.client.patch('/admin/users/cyd', { admin: true, restricted: false })
      await world.synchronize()
      expect(await user('cyd'), 'without filters the server decides').toMatchObject({ is_admin: true })
    })

    it('adds the SSH keys of the directory, which users cannot delete', async () => {
      const [first, second] = [newKey(), newKey()]
      await world.root.client.patch(path, { ldap: { ssh_key_attribute: 'sshPublicKey' } })
      await world.directory.change('ann', { sshPublicKey: [first, 'no key'] })
      await world.synchronize()
      const ann = world.as('ann')
      const keys = async () => (await ann.get('/user/keys')).json as { id: number; key: string }[]
      const [key] = await keys()
      expect(key!.key.split(' ')[1]).toBe(first.split(' ')[1])
      const refused = await ann.delete(`/user/keys/${key!.id}`)
      expect([refused.status, refused.json.message]).toEqual([403, 'SSH Key is externally managed for this user'])
      await world.directory.change('ann', { sshPublicKey: second })
      await world.synchronize()
      expect((await keys()).map((each) => each.key.split(' ')[1])).toEqual([second.split(' ')[1]])
    })

    it('puts members of groups into teams, nested groups too, and takes them out again', async () => {
      const acme = await world.server.world.org('acme')
      const team = await acme.team('devs')
      await world.directory.addGroup('devs', [dnOf('ann'), `cn=Inner,${GROUPS}`])
      await world.directory.addGroup('inner', [dnOf('bob'), `cn=devs,${GROUPS}`])
      const group_teams = [
        { group: `CN=devs, ${GROUPS.toUpperCase()}`, organization: 'acme', team: 'devs' },
        { group: `cn=devs,${GROUPS}`, organization: 'acme', team: 'missing' },
      ]
      await world.root.client.patch(path, { ldap: { group_teams } })
      const members = async (): Promise<string[]> =>
        ((await world.root.client.get(`/teams/${team.id}/members`)).json as Account[])
          .map(({ login }) => login)
          .toSorted()
      await world.synchronize()
      expect(await members()).toEqual(['ann'])
      await world.root.client.patch(path, { ldap: { nested_groups: true } })
      await world.synchronize()
      expect(await members()).toEqual(['ann', 'bob'])
      await world.directory.admin((client) => client.del(`cn=inner,${GROUPS}`))
      await world.synchronize()
      expect(await members(), 'nobody leaves unless the source says so').toEqual(['ann', 'bob'])
      await world.root.client.patch(path, { ldap: { remove_from_teams: true } })
      await world.synchronize()
      expect(await members()).toEqual(['ann'])
      await world.directory.addGroup('inner', [dnOf('eve')])
      expect((await world.as('eve').get('/user')).status).toBe(200)
      expect(await members(), 'at a sign-in too').toEqual(['ann', 'eve'])
    })

    it('can be tried before, by an administrator, without a change', async () => {
      const ask = async (body: object) => (await world.root.client.post(`${path}/test`, body)).json
      await world.directory.addPerson('new')
      expect(await ask({})).toMatchObject({ ok: true, person: null })
      expect(await ask({ login: 'new' })).toMatchObject({
        ok: true,
        person: { login_name: 'new', email: 'new@corp.test', is_admin: null, teams: [] },
      })
      expect(await ask({ login: 'new', password: 'new-password' })).toMatchObject({ ok: true })
      expect(await ask({ login: 'new', password: 'wrong' })).toMatchObject({ ok: false, person: null })
      expect(await ask({ login: 'nobody' })).toMatchObject({ ok: false })
      expect((await world.root.client.get('/users/new')).status).toBe(404)
      expect((await world.as('ann').post(`${path}/test`, {})).status).toBe(403)
      expect((await world.as('ann').post(`${path}/sync`)).status).toBe(403)
      await world.directory.stop()
      expect(await ask({})).toMatchObject({ ok: false })
      await world.directory.restart()
    })
  })
})
