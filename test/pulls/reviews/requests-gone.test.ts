import { expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { openPull, requestWorld } from './request-world.ts'

describeOnBoth('requests of those who are gone', (kind) => {
  const world = requestWorld({ on: kind })
  /** The names of the listed reviewers; a deleted account has the name of the ghost. */
  const reviewers = async (repo: string, number: number): Promise<string[]> =>
    (await world.ann.client.get(`/repos/${repo}/pulls/${number}/reviews`)).json.map(
      ({ user, team }: Any) => user?.login ?? team?.name ?? 'nobody',
    )

  it('are withdrawn with the account and with the team', async () => {
    const { ann, wes, acme, server } = world
    const leo = await server.world.user('leo')
    const team = await acme.team('short', { units: ['repo.code', 'repo.pulls'] })
    const asked = { reviewers: ['leo', 'eve'], team_reviewers: ['short', 'core'] }
    const { number } = await openPull(wes, 'leaving', { repo: 'acme/lib', ...asked })
    expect((await ann.client.delete(`/teams/${team.id}`)).status).toBe(204)
    expect(await reviewers('acme/lib', number)).toEqual(['leo', 'eve', 'core'])
    const root = await server.world.admin()
    expect((await root.client.delete(`/admin/users/${leo.name}`)).status).toBe(204)
    expect(await reviewers('acme/lib', number)).toEqual(['eve', 'core'])
  })

  it('are withdrawn when the repository leaves the organization of the team', async () => {
    const { ann, acme, server } = world
    await server.world.repo({ owner: acme.org, by: ann, name: 'moved', autoInit: true })
    const asked = { reviewers: ['eve'], team_reviewers: ['core'] }
    const { number } = await openPull(ann, 'moving', { repo: 'acme/moved', ...asked })
    expect(await reviewers('acme/moved', number)).toEqual(['eve', 'core'])
    expect((await ann.client.post('/repos/acme/moved/transfer', { new_owner: 'ann' })).status).toBe(202)
    expect(await reviewers('ann/moved', number)).toEqual(['eve'])
  })
})
