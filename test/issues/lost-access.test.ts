import { expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import type { Any } from '../harness/client.ts'
import type { Person } from '../harness/world.ts'
import { createIssue, issueWorld } from './issue-world.ts'

describeOnBoth('assignees and subscribers who lose access', (on) => {
  const given = issueWorld({ on })

  /** Creates an issue that the person is assigned and subscribed to. */
  async function involve(owner: Person, person: Person, repo: string): Promise<number> {
    const { number } = await createIssue(owner, { assignees: [person.name] }, repo)
    const answer = await person.client.put(`/repos/${repo}/issues/${number}/subscriptions/${person.name}`)
    expect([200, 201]).toContain(answer.status)
    return number
  }

  /** The logins of the assignees and subscribers of an issue. */
  async function involved(owner: Person, repo: string, number: number): Promise<[string[], string[]]> {
    const path = `/repos/${repo}/issues/${number}`
    const logins = (users: Any[]): string[] => users.map((user) => user.login).filter((login) => login !== owner.name)
    const { assignees } = (await owner.client.get(path)).json
    return [logins(assignees ?? []), logins((await owner.client.get(`${path}/subscriptions`)).json)]
  }

  it('are removed when they stop being collaborators of a private repository', async () => {
    const { ann, bob } = given
    const number: Record<string, number> = {}
    for (const repo of ['ann/desk', 'ann/vault']) {
      await ann.client.put(`/repos/${repo}/collaborators/bob`, { permission: 'write' })
      number[repo] = await involve(ann, bob, repo)
      expect(await involved(ann, repo, number[repo])).toEqual([['bob'], ['bob']])
      expect((await ann.client.delete(`/repos/${repo}/collaborators/bob`)).status).toBe(204)
    }
    expect(await involved(ann, 'ann/vault', number['ann/vault']!)).toEqual([[], []])
    expect(await involved(ann, 'ann/desk', number['ann/desk']!)).toEqual([['bob'], ['bob']])
  })

  it('are removed as assignees by a block, in repositories of either account', async () => {
    const { ann, wes, server } = given
    await server.world.repo({ owner: wes, name: 'own' })
    await wes.client.put('/repos/wes/own/collaborators/ann', { permission: 'write' })
    const his = (await createIssue(wes, { assignees: ['ann', 'wes'] }, 'wes/own')).number
    const hers = (await createIssue(ann, { assignees: ['wes', 'ann'] })).number
    expect((await ann.client.put('/user/block/wes')).status).toBe(204)
    expect((await ann.client.get(`/repos/ann/desk/issues/${hers}`)).json.assignees).toMatchObject([{ login: 'ann' }])
    expect((await wes.client.get(`/repos/wes/own/issues/${his}`)).json.assignees).toMatchObject([{ login: 'wes' }])
    await ann.client.put('/user/unblock/wes')
  })

  it('are removed as assignees by a block by an organization', async () => {
    const { ann, server } = given
    const guild = await server.world.org('smiths', { owner: ann })
    await server.world.repo({ owner: guild.org, by: ann, name: 'forge' })
    await server.world.user('val')
    await ann.client.put('/repos/smiths/forge/collaborators/val', { permission: 'write' })
    const { number } = await createIssue(ann, { assignees: ['val'] }, 'smiths/forge')
    expect((await ann.client.put('/orgs/smiths/blocks/val')).status).toBe(204)
    expect((await ann.client.get(`/repos/smiths/forge/issues/${number}`)).json.assignees ?? []).toEqual([])
  })

  it('are removed only when the last team that grants access is removed', async () => {
    const { ann, server } = given
    const guild = await server.world.org('guild', { owner: ann })
    const hall = await server.world.repo({ owner: guild.org, by: ann, name: 'hall', isPrivate: true })
    const cat = await server.world.user('cat')
    const rights = { permission: 'write', units: ['repo.code', 'repo.issues', 'repo.pulls'], members: [cat] }
    const lose: ((teamId: number) => Promise<{ readonly status: number }>)[] = [
      (id) => ann.client.delete(`/teams/${id}/repos/guild/hall`),
      (id) => ann.client.delete(`/teams/${id}/members/cat`),
      (id) => ann.client.delete(`/teams/${id}`),
      () => ann.client.delete('/orgs/guild/members/cat'),
    ]
    for (const [index, act] of lose.entries()) {
      const [first, second] = [
        await guild.team(`first-${index}`, { ...rights, repos: [hall] }),
        await guild.team(`second-${index}`, { ...rights, repos: [hall] }),
      ]
      const idle = await guild.team(`idle-${index}`, rights)
      // Watchers of the repository are subscribed without an explicit choice.
      await cat.client.delete('/repos/guild/hall/subscription')
      const number = await involve(ann, cat, 'guild/hall')
      expect((await act(first.id)).status).toBe(204)
      if (index < 3) expect(await involved(ann, 'guild/hall', number)).toEqual([['cat'], ['cat']])
      await act(second.id)
      expect(await involved(ann, 'guild/hall', number)).toEqual([[], []])
      await ann.client.delete(`/teams/${idle.id}`)
    }
  })

  it('are not assigned if they lose access concurrently', async () => {
    const { ann, server } = given
    await server.world.user('dan')
    await server.world.repo({ owner: ann, name: 'cellar', isPrivate: true })
    for (let round = 0; round < 6; round++) {
      await ann.client.put('/repos/ann/cellar/collaborators/dan', { permission: 'write' })
      const path = `/repos/ann/cellar/issues/${(await createIssue(ann, {}, 'ann/cellar')).number}`
      const [assigned, deleted] = await Promise.all([
        ann.client.patch(path, { assignees: ['dan'] }),
        ann.client.delete('/repos/ann/cellar/collaborators/dan'),
      ])
      expect([201, 422]).toContain(assigned.status)
      expect(deleted.status).toBe(204)
      expect((await ann.client.get(path)).json.assignees ?? []).toEqual([])
    }
  })
})
