import { expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { createIssue, issueWorld, timelineOf } from './issue-world.ts'

describeOnBoth('assignees of an issue', (on) => {
  const given = issueWorld({ on })
  const logins = (issue: { assignees: { login: string }[] | null }): string[] =>
    (issue.assignees ?? []).map(({ login }) => login)

  it('are added and removed by name, and the others stay', async () => {
    const { ann, wes, bob } = given
    const { number } = await createIssue(ann, { assignees: ['wes'] })
    const path = `/repos/ann/desk/issues/${number}/assignees`
    const added = await wes.client.post(path, { assignees: ['ann', 'wes'] })
    expect([added.status, logins(added.json)]).toEqual([201, ['wes', 'ann']])
    const removed = await wes.client.delete(path, { assignees: ['wes', 'bob'] })
    expect([removed.status, logins(removed.json)]).toEqual([200, ['ann']])
    const steps = (await timelineOf(ann, number)).filter(({ type }) => type === 'assignees')
    expect(steps.map((entry) => [entry.assignee.login, entry.removed_assignee])).toEqual([
      ['wes', false],
      ['ann', false],
      ['wes', true],
    ])
    expect((await bob.client.post(path, { assignees: ['bob'] })).status).toBe(403)
    expect((await given.server.anonymous.post(path, { assignees: ['bob'] })).status).toBe(401)
    expect((await wes.client.post(path, { assignees: ['nobody'] })).status).toBe(422)
    expect((await wes.client.delete(path, { assignees: ['nobody'] })).status).toBe(422)
    expect((await wes.client.post(path, {})).status).toBe(422)
    expect(logins((await ann.client.get(`/repos/ann/desk/issues/${number}`)).json)).toEqual(['ann'])
  })

  it('are checked for an issue and for a repository', async () => {
    const { ann, wes } = given
    const { number } = await createIssue(ann, {}, 'ann/vault')
    for (const path of [`/repos/ann/vault/issues/${number}/assignees`, '/repos/ann/vault/assignees']) {
      expect((await ann.client.get(`${path}/ann`)).status, path).toBe(204)
      expect((await ann.client.get(`${path}/bob`)).status, path).toBe(404)
      expect((await ann.client.get(`${path}/nobody`)).status, path).toBe(404)
      expect((await wes.client.get(`${path}/ann`)).status, path).toBe(404)
    }
  })

  it('are all kept when they are added concurrently', async () => {
    const { ann, wes } = given
    const { number } = await createIssue(ann)
    const path = `/repos/ann/desk/issues/${number}/assignees`
    const answers = await Promise.all([
      ann.client.post(path, { assignees: ['ann'] }),
      wes.client.post(path, { assignees: ['wes'] }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    const { json } = await ann.client.get(`/repos/ann/desk/issues/${number}`)
    expect(logins(json).toSorted()).toEqual(['ann', 'wes'])
  })
})
