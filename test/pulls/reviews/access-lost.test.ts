import { expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { openPull, requestWorld, reviewersOf } from './request-world.ts'

describeOnBoth('a reviewer who loses access', (kind) => {
  const world = requestWorld({ on: kind })

  const protect = async (repo: string): Promise<void> => {
    const blocks = { block_on_rejected_reviews: true, block_on_official_review_requests: true }
    const rule = { rule_name: 'main', enable_push: true, required_approvals: 1, ...blocks }
    expect((await world.ann.client.post(`/repos/${repo}/branch_protections`, rule)).status).toBe(201)
  }
  const review = async ({ client }: Person, number: number, event: string, repo = 'ann/app'): Promise<void> => {
    const answer = await client.post(`/repos/${repo}/pulls/${number}/reviews`, { event, body: 'Seen' })
    expect(answer.status, JSON.stringify(answer.json)).toBe(200)
  }
  /** The reason why the pull request cannot be merged; 200 when it was. */
  const merge = async (number: number, repo = 'ann/app'): Promise<unknown> => {
    const { status, json } = await world.ann.client.post(`/repos/${repo}/pulls/${number}/merge`, { Do: 'merge' })
    return status === 200 ? 200 : json.message
  }
  /** The reviewers in the list, and its total. */
  const listed = async (number: number, repo = 'ann/app'): Promise<unknown> => {
    const { json, headers } = await world.ann.client.get(`/repos/${repo}/pulls/${number}/reviews`)
    return [json.map(({ user, team }: Any) => user?.login ?? team.name), headers.get('x-total-count')]
  }
  const edit = async (repo: string, body: object): Promise<void> =>
    expect((await world.ann.client.patch(`/repos/${repo}`, body)).status).toBe(200) as void

  it('no longer approves until it regains access', async () => {
    await protect('ann/app')
    const { number } = await openPull(world.ann, 'approved')
    const wes = '/repos/ann/app/collaborators/wes'
    await review(world.wes, number, 'APPROVED')
    await world.ann.client.delete(wes)
    expect(await merge(number)).toBe('Does not have enough approvals')
    await world.ann.client.put(wes, { permission: 'read' })
    expect(await merge(number)).toBe('Does not have enough approvals')
    await world.ann.client.put(wes, { permission: 'write' })
    expect(await merge(number)).toBe(200)
  })

  it('does not block a merge while its account is suspended', async () => {
    const root = await world.server.world.admin()
    const zoe = await world.server.world.user('zoe')
    await world.ann.client.put('/repos/ann/app/collaborators/zoe', { permission: 'write' })
    const { number } = await openPull(world.ann, 'rejected')
    await review(world.wes, number, 'APPROVED')
    await review(zoe, number, 'REQUEST_CHANGES')
    expect(await merge(number)).toBe('There are requested changes')
    await world.ann.client.post(`/repos/ann/app/pulls/${number}/requested_reviewers`, { reviewers: ['zoe'] })
    expect(await merge(number)).toBe('There are official review requests')
    expect(await listed(number)).toEqual([['wes', 'zoe', 'zoe'], '3'])
    expect((await root.client.patch('/admin/users/zoe', { prohibit_login: true })).status).toBe(200)
    expect(await listed(number)).toEqual([['wes', 'zoe'], '2'])
    expect(await reviewersOf(world.ann, number)).toEqual(['wes', 'zoe'])
    expect(await merge(number)).toBe(200)
  })

  it('is not shown as requested while the repository is private', async () => {
    const { number } = await openPull(world.ann, 'asked', { reviewers: ['eve', 'wes'] })
    expect(await reviewersOf(world.ann, number)).toEqual(['eve', 'wes'])
    const [{ id }] = (await world.ann.client.get(`/repos/ann/app/pulls/${number}/reviews`)).json
    const one = async (): Promise<number> =>
      (await world.ann.client.get(`/repos/ann/app/pulls/${number}/reviews/${id}`)).status
    expect(await one()).toBe(200)
    await edit('ann/app', { private: true })
    expect(await one()).toBe(404)
    expect(await reviewersOf(world.ann, number)).toEqual(['wes'])
    const [pull] = (await world.ann.client.get('/repos/ann/app/pulls?state=open')).json
    expect(pull.requested_reviewers.map(({ login }: Any) => login)).toEqual(['wes'])
    await edit('ann/app', { private: false })
    expect(await reviewersOf(world.ann, number)).toEqual(['eve', 'wes'])
    expect(await listed(number)).toEqual([['eve', 'wes'], '2'])
  })

  it('loses its team, or the team loses the repository', async () => {
    const { ann, wes, acme } = world
    await protect('acme/lib')
    const asked = { reviewers: ['wes'], team_reviewers: ['core'] }
    const { number } = await openPull(ann, 'teamed', { repo: 'acme/lib', ...asked })
    const teams: Any[] = (await ann.client.get(`/orgs/${acme.org.name}/teams`)).json
    const core = teams.find(({ name }) => name === 'core')
    await edit('acme/lib', { private: true })
    expect(await listed(number, 'acme/lib')).toEqual([['wes', 'core'], '2'])
    await ann.client.delete(`/teams/${core.id}/members/wes`)
    expect(await listed(number, 'acme/lib')).toEqual([['core'], '1'])
    await ann.client.delete(`/teams/${core.id}/repos/acme/lib`)
    expect(await listed(number, 'acme/lib')).toEqual([[], '0'])
    expect(await reviewersOf(ann, number, 'acme/lib')).toEqual([])
    expect(await merge(number, 'acme/lib')).toBe('Does not have enough approvals')
    await ann.client.put(`/teams/${core.id}/members/wes`)
    await ann.client.put(`/teams/${core.id}/repos/acme/lib`)
    expect(await listed(number, 'acme/lib')).toEqual([['wes', 'core'], '2'])
    await review(wes, number, 'APPROVED', 'acme/lib')
    expect(await merge(number, 'acme/lib')).toBe(200)
  })
})
