import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemActor } from '../../../src/core/access/viewer.ts'
import { asId, type SignInSourceId } from '../../../src/core/platform/crypto/ids.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

describeOnBoth('sign-in sources', (kind) => {
  let server: TestServer
  let root: Person
  let ann: Person
  const secret = `secret-${randomBytes(8).toString('hex')}`
  const ldap = { host: 'directory.test', user_search_base: 'ou=people,dc=test', bind_dn: 'cn=reader,dc=test' }
  const company = { name: 'Company', kind: 'ldap', ldap: { ...ldap, bind_password: secret } }

  beforeAll(async () => {
    server = await startServer({ on: kind, settings: { 'service.login_sources': '2' } })
    root = await server.world.admin()
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())

  const audited = async (): Promise<string> => (await root.client.get('/admin/audit?action=sign-in-source')).text

  it('are for site administrators with the admin scope', async () => {
    const narrow = await root.withToken('write:user')
    for (const client of [ann.client, narrow]) {
      expect((await client.get('/admin/auth-sources')).status).toBe(403)
      expect((await client.post('/admin/auth-sources', company)).status).toBe(403)
      expect((await client.patch('/admin/auth-sources/1', {})).status).toBe(403)
      expect((await client.delete('/admin/auth-sources/1')).status).toBe(403)
    }
    expect((await server.anonymous.get('/admin/auth-sources')).status).toBe(401)
  })

  it('are created, changed and deleted, and never return their secrets', async () => {
    const made = await root.client.post('/admin/auth-sources', company)
    expect([made.status, made.json]).toMatchObject([
      201,
      { name: 'Company', kind: 'ldap', is_active: true, ldap: { ...ldap, has_bind_password: true, port: 0 } },
    ])
    const path = `/admin/auth-sources/${made.json.id}`
    const edited = await root.client.patch(path, { name: 'Office', is_active: false, ldap: { port: 3389 } })
    expect([edited.status, edited.json]).toMatchObject([
      200,
      { name: 'Office', is_active: false, ldap: { host: 'directory.test', port: 3389, has_bind_password: true } },
    ])
    expect((await root.client.get(path)).json).toEqual(edited.json)
    const source = await server.app.signInSources.find(made.json.id, 'ldap')
    expect(source!.settings.bind_password, 'an edit without it leaves it').toBe(secret)
    const cleared = await root.client.patch(path, { ldap: { bind_password: '' } })
    expect(cleared.json.ldap.has_bind_password).toBe(false)
    const page = await root.client.get('/admin/auth-sources')
    expect([page.json, page.headers.get('x-total-count')]).toEqual([[cleared.json], '1'])
    const texts = [made, edited, cleared, page].map(({ text }) => text).join()
    expect(texts).not.toContain(secret)
    expect((await root.client.delete(path)).status).toBe(204)
    for (const answer of [
      await root.client.get(path),
      await root.client.patch(path, {}),
      await root.client.delete(path),
    ])
      expect(answer.status).toBe(404)
  })

  it('record who changed what in the audit log, without values', async () => {
    const log = await audited()
    for (const action of ['sign-in-source.created', 'sign-in-source.changed', 'sign-in-source.deleted'])
      expect(log).toContain(action)
    expect(log).toContain('bind_password')
    expect(log).not.toContain(secret)
  })

  it('are encrypted in the database', async () => {
    const { id } = (await root.client.post('/admin/auth-sources', company)).json as { id: number }
    const rows = await server.app.database.read.selectFrom('sign_in_source').selectAll().execute()
    expect(rows.map((row) => row.id)).toEqual([id])
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(JSON.stringify(rows)).not.toContain('directory.test')
    await root.client.delete(`/admin/auth-sources/${id}`)
  })

  it('never get an id that the configuration names', async () => {
    const ids: number[] = []
    for (const name of ['one', 'two', 'three'])
      ids.push((await root.client.post('/admin/auth-sources', { ...company, name })).json.id)
    expect(ids).not.toContain(2)
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) await root.client.delete(`/admin/auth-sources/${id}`)
  })

  const settings = (more: object): object => ({ name: 'odd', kind: 'ldap', ldap: { ...ldap, ...more } })
  it.each([
    ['no name', { kind: 'ldap', ldap }, '[Name]: Required'],
    ['an unknown kind', { name: 'odd', kind: 'magic' }, '[Kind]: In'],
    ['settings of another kind', { ...company, oidc: {} }, '[Oidc]: the source is of the kind ldap'],
    ['no host', { name: 'odd', kind: 'ldap', ldap: { user_search_base: 'dc=test' } }, '[Host]: Host'],
    ['an address for a host', settings({ host: 'ldap://directory.test' }), '[Host]: Host'],
    ['no place of users', settings({ user_search_base: '' }), '[UserSearchBase]: Required'],
    ['a filter for nobody', settings({ user_filter: '(uid=ann)' }), '[UserFilter]: must contain %s'],
    ['a broken filter', settings({ user_filter: '(&(uid=%s)' }), '[UserFilter]: LdapFilter'],
    ['a broken filter for administrators', settings({ admin_filter: 'x)(' }), '[AdminFilter]: LdapFilter'],
    ['an odd attribute', settings({ email_attribute: 'mail)(uid' }), '[EmailAttribute]: LdapAttribute'],
    ['an odd certificate', settings({ ca_certificates: 'nothing' }), '[CaCertificates]: Pem'],
    ['a port out of range', settings({ port: 70_000 }), '[Port]: Range (0 to 65535)'],
    [
      'teams without groups',
      settings({ group_teams: [{ group: 'cn=a', organization: 'a', team: 'b' }] }),
      '[GroupSearchBase]: Required',
    ],
  ])('are refused with %s', async (_, body, message) => {
    const refused = await root.client.post('/admin/auth-sources', body)
    expect([refused.status, refused.json.message]).toEqual([422, message])
  })

  it('have unique names and one kind', async () => {
    const { id } = (await root.client.post('/admin/auth-sources', company)).json as { id: number }
    const again = await root.client.post('/admin/auth-sources', { ...company, name: 'COMPANY' })
    expect([again.status, again.json.message]).toEqual([409, 'sign-in source already exists: [name: COMPANY]'])
    expect((await root.client.patch(`/admin/auth-sources/${id}`, { name: 'company' })).status).toBe(200)
    const other = await root.client.patch(`/admin/auth-sources/${id}`, { oidc: { client_id: 'x' } })
    expect([other.status, other.json.message]).toEqual([422, '[Oidc]: the source is of the kind ldap'])
    await root.client.delete(`/admin/auth-sources/${id}`)
  })

  it('bind accounts, which need no password', async () => {
    const { id } = (await root.client.post('/admin/auth-sources', company)).json as { id: number }
    const bob = { username: 'bob', email: 'bob@example.test', source_id: id, login_name: 'bob.b' }
    const unknown = await root.client.post('/admin/users', { ...bob, source_id: 99 })
    expect([unknown.status, unknown.json.message]).toEqual([422, 'login source does not exist [id: 99]'])
    const local = await root.client.post('/admin/users', { ...bob, source_id: 0 })
    expect([local.status, local.json.message]).toEqual([400, 'PasswordIsRequired'])
    const made = await root.client.post('/admin/users', bob)
    expect([made.status, made.json]).toMatchObject([201, { source_id: id, login_name: 'bob.b', active: true }])
    const found = await root.client.get(`/admin/users?source_id=${id}`)
    expect(found.json.map((user: { login: string }) => user.login)).toEqual(['bob'])

    const used = await root.client.delete(`/admin/auth-sources/${id}`)
    expect([used.status, used.json.message]).toEqual([409, 'sign-in source is in use: 1 accounts belong to it'])
    const wrong = await root.client.patch('/admin/users/ann', { source_id: 99, login_name: 'ann' })
    expect([wrong.status, wrong.json.message]).toEqual([422, 'login source does not exist [id: 99]'])
    const bound = await root.client.patch('/admin/users/ann', { source_id: id, login_name: 'a.archer' })
    expect([bound.status, bound.json]).toMatchObject([200, { source_id: id, login_name: 'a.archer' }])
    for (const name of ['ann', 'bob'])
      await root.client.patch(`/admin/users/${name}`, { source_id: 0, login_name: name, password: PASSWORD })
    expect((await root.client.delete(`/admin/auth-sources/${id}`)).status).toBe(204)
  })

  it('link accounts with one identity each, and record that', async () => {
    const { id } = (await root.client.post('/admin/auth-sources', company)).json as { id: number }
    const { externalIdentities: identities } = server.app
    const [sourceId, cyd] = [asId<SignInSourceId>(id), await server.world.user('cyd')]
    const identity = { sourceId, subject: 'c-1', userId: cyd.user.id, loginName: 'cyd.c' }
    await identities.link(systemActor, identity)
    expect(await identities.find(sourceId, 'c-1')).toEqual({ ...identity, goneAt: undefined })
    for (const other of [{ subject: 'c-2' }, { userId: ann.user.id }])
      await expect(identities.link(systemActor, { ...identity, ...other })).rejects.toThrow('is linked already')
    expect(await identities.unlink(systemActor, sourceId, cyd.user.id)).toBe(true)
    expect(await identities.unlink(systemActor, sourceId, cyd.user.id)).toBe(false)
    expect(await identities.listOf(cyd.user.id)).toEqual([])
    const entries = (await root.client.get('/admin/audit?action=identity&target=cyd')).json as { action: string }[]
    expect(entries.map(({ action }) => action)).toEqual(['identity.unlinked', 'identity.linked'])
    await root.client.delete(`/admin/auth-sources/${id}`)
  })
})
