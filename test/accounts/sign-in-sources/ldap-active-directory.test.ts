import { beforeAll, describe, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { dnOf, findSlapd, GROUPS } from '../../harness/directory.ts'
import { ldapWorld } from './ldap-fixture.ts'

const slapd = findSlapd()
/** The filter that docs/operate/sign-in.md recommends, with the classes of this directory. */
const ENABLED = '(&(objectClass=user)(sAMAccountName=%s)(!(userAccountControl:1.2.840.113556.1.4.803:=2)))'
const [NORMAL, DISABLED] = ['512', '514']

describe.skipIf(slapd === undefined)('a directory with the schema of Active Directory', () => {
  describeOnBoth('is compared', (kind) => {
    const world = ldapWorld(slapd!, { on: kind })
    let path: string
    const status = async (login: string, password: string): Promise<number> =>
      (await world.as(login, password).get('/user')).status
    const change = async (ldap: object): Promise<void> =>
      expect((await world.root.client.patch(path, { ldap })).json.message).toBe(undefined)

    beforeAll(async () => {
      const id = await world.addSource('corp', {
        user_filter: ENABLED,
        username_attribute: 'sAMAccountName',
        full_name_attribute: 'displayName',
        subject_attribute: 'objectGUID',
        nested_groups: true,
      })
      path = `/admin/auth-sources/${id}`
      for (const [index, uid] of ['ann', 'bob', 'cyd'].entries())
        await world.directory.addPerson(uid, {
          objectClass: ['inetOrgPerson', 'user'],
          sAMAccountName: `CORP.${uid}`,
          userAccountControl: NORMAL,
          objectGUID: `0123456789abcde${index}`,
          displayName: `${uid} of Corp`,
        })
    })

    it('names accounts by sAMAccountName, and identifies them by objectGUID', async () => {
      expect(await status('corp.ann', 'ann-password')).toBe(200)
      expect(await status('ann', 'ann-password')).toBe(401)
      await world.synchronize()
      expect((await world.root.client.get('/users/CORP.ann')).json).toMatchObject({ full_name: 'ann of Corp' })
      await world.directory.change('ann', { sAMAccountName: 'corp.anna' })
      const renamed = await world.as('corp.anna', 'ann-password').get('/user')
      expect([renamed.status, renamed.json.login]).toEqual([200, 'CORP.ann'])
    })

    it('deactivates accounts that are disabled, until they are enabled again', async () => {
      const isActive = async () => (await world.root.client.get('/users/CORP.bob')).json.active
      await world.directory.change('bob', { userAccountControl: DISABLED })
      expect(await status('corp.bob', 'bob-password')).toBe(401)
      await world.synchronize()
      expect(await isActive()).toBe(false)
      await world.directory.change('bob', { userAccountControl: NORMAL })
      await world.synchronize()
      expect([await isActive(), await status('corp.bob', 'bob-password')]).toEqual([true, 200])
    })

    it('finds the teams of nested groups, of groups around each other too', async () => {
      const acme = await world.server.world.org('acme')
      const team = await acme.team('devs')
      await world.directory.addGroup('inner', [dnOf('cyd')])
      await world.directory.addGroup('middle', [`cn=inner,${GROUPS}`, `cn=outer,${GROUPS}`])
      await world.directory.addGroup('outer', [`cn=middle,${GROUPS}`])
      await change({ group_teams: [{ group: `CN=outer,${GROUPS}`, organization: 'acme', team: 'devs' }] })
      await world.synchronize()
      const members = (await world.root.client.get(`/teams/${team.id}/members`)).json as { login: string }[]
      expect(members.map(({ login }) => login)).toEqual(['CORP.cyd'])
    })

    it('lets members of a group sign in by memberOf, and supports its matching rules in filters', async () => {
      const member = `(memberOf=cn=inner,${GROUPS})`
      await change({ user_filter: ENABLED.replace('(!', `${member}(!`) })
      expect(await status('corp.bob', 'bob-other')).toBe(401)
      expect((await world.root.client.post(`${path}/test`, { login: 'corp.bob' })).json.ok).toBe(false)
      expect((await world.root.client.post(`${path}/test`, { login: 'corp.cyd' })).json.ok).toBe(true)
      await change({ user_filter: ENABLED.replace('(!', `${member.replace('=', ':1.2.840.113556.1.4.1941:=')}(!`) })
    })
  })
})
