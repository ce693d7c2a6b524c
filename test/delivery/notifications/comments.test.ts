import { expect, it } from 'vitest'
import type { IssueNotice } from '../../../src/domains/issues/index.ts'
import { asId } from '../../../src/core/platform/crypto/ids.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { createIssue, issueWorld } from '../../issues/issue-world.ts'
import { markAll, threadAbout, threadsOf } from './notification-world.ts'

describeOnBoth('notifications of comments and mentions', (on) => {
  const given = issueWorld({ on })

  const comment = async (person: Person, number: number): Promise<number> => {
    const answer = await person.client.post(`/repos/ann/desk/issues/${number}/comments`, { body: 'taking part' })
    expect(answer.status).toBe(201)
    return answer.json.id
  }
  /** Calls the port that the parser of mentions calls. */
  const notify = async (issueId: number, notice: Pick<IssueNotice, 'actorId' | 'userIds'>): Promise<void> => {
    const { issues, issueNotices, repos, database } = given.server.app
    const issue = await issues.getById(asId(issueId))
    const repo = await repos.getById(issue.repoId)
    await database.transaction((tx) => issueNotices.run(tx, { repo, issue, reason: 'mentioned', ...notice }))
  }

  it('go to the author and to commenters, until their comment is deleted', async () => {
    const { number } = await createIssue(given.bob, { title: 'Talk' })
    const path = `/repos/ann/desk/issues/${number}`
    const first = await comment(given.wes, number)
    expect(await threadsOf(given.bob, '')).toEqual(['Talk unread'])
    expect(await threadsOf(given.wes)).toEqual([])
    expect((await given.wes.client.get(`${path}/subscriptions/check`)).json.subscribed).toBe(true)
    const second = await comment(given.ann, number)
    expect(await threadsOf(given.wes, '')).toEqual(['Talk unread'])
    const { api, html } = {
      api: `${given.server.url}/api/v1/repos/ann/desk/issues`,
      html: `${given.server.url}${path.slice(6)}`,
    }
    expect((await threadAbout(given.wes, 'Talk')).subject).toMatchObject({
      latest_comment_url: `${api}/comments/${second}`,
      latest_comment_html_url: `${html}#issuecomment-${second}`,
    })
    await given.ann.client.delete(`/repos/ann/desk/issues/comments/${second}`)
    expect((await threadAbout(given.wes, 'Talk')).subject.latest_comment_url).toBe(`${api}/comments/${first}`)
    await given.wes.client.delete(`/repos/ann/desk/issues/comments/${first}`)
    expect((await threadAbout(given.wes, 'Talk')).subject.latest_comment_url).toBe('')
    expect((await given.wes.client.get(`${path}/subscriptions/check`)).json.subscribed).toBe(false)
    await markAll(given.wes)
    await comment(given.ann, number)
    expect(await threadsOf(given.wes, '')).toEqual([])
    for (const person of [given.ann, given.bob]) await markAll(person)
  })

  it('reach users that a comment mentions', async () => {
    const zoe = await given.server.world.user(`zoe-${on}`)
    const { number } = await createIssue(given.ann, { title: 'Named' })
    const answer = await given.bob.client.post(`/repos/ann/desk/issues/${number}/comments`, {
      body: `what does @${zoe.name} say? not \`@wes\``,
    })
    expect(answer.status).toBe(201)
    expect(await threadsOf(zoe)).toEqual(['Named unread'])
    expect(await threadsOf(given.wes, '')).toEqual([])
    for (const person of [given.ann, given.bob]) await markAll(person)
  })

  it('with mentions go to active users who can read them and do not block the author', async () => {
    const { world } = given.server
    const [open, blocking, idle] = [
      await world.user(`open-${on}`),
      await world.user(`blocking-${on}`),
      await world.user(`idle-${on}`),
    ]
    const root = await world.admin(`root-${on}`)
    expect((await root.client.patch(`/admin/users/${idle.name}`, { active: false })).status).toBe(200)
    await blocking.client.put(`/user/block/${given.bob.name}`)
    const issue = await createIssue(given.ann, { title: 'Mentions' })
    const userIds = [open, blocking, idle, given.bob].map(({ user }) => user.id)
    await notify(issue.id, { actorId: given.bob.user.id, userIds })
    expect(await threadsOf(open)).toEqual(['Mentions unread'])
    expect(await threadsOf(blocking)).toEqual([])
    expect(await threadsOf(given.bob, '')).toEqual([])
    await root.client.patch(`/admin/users/${idle.name}`, { active: true })
    expect(await threadsOf(idle)).toEqual([])
    const hidden = await createIssue(given.ann, { title: 'Hidden' }, 'ann/vault')
    await notify(hidden.id, { actorId: given.ann.user.id, userIds })
    expect(await threadsOf(open)).toEqual(['Mentions unread'])
  })
})
