import { describe, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { row } from '../harness/expect.ts'
import { createIssue, issueWorld } from './issue-world.ts'

describeOnBoth('numbers of issues', (on) => {
  const given = issueWorld({ on })

  it('have no gaps under concurrent writers, refused and deleted issues included', async () => {
    const { ann, bob, server } = given
    const attempts = Array.from({ length: 40 }, (_, n) => {
      const body = n % 4 === 0 ? { title: ' ' } : { title: `Issue ${n}`, closed: n % 3 === 0 }
      return (n % 2 === 0 ? ann : bob).client.post('/repos/ann/desk/issues', body)
    })
    const answers = await Promise.all(attempts)
    const made = answers.filter((answer) => answer.status === 201).map((answer) => answer.json)
    expect(made).toHaveLength(30)
    expect(made.map((issue) => issue.number).toSorted((a, b) => a - b)).toEqual(made.map((_, n) => n + 1))
    const closed = made.filter((issue) => issue.state === 'closed')
    const { id } = made[0].repository
    expect(await row(server, 'repo', { id })).toMatchObject({
      open_issues_count: made.length - closed.length,
      closed_issues_count: closed.length,
    })
    await ann.client.delete('/repos/ann/desk/issues/30')
    expect((await createIssue(ann)).number).toBe(31)
  })
})

describe('states of issues', () => {
  const given = issueWorld()

  it('change once under concurrent requests', async () => {
    const { ann, wes, server } = given
    const { number, repository } = await createIssue(ann)
    const close = (n: number) =>
      (n % 2 ? ann : wes).client.patch(`/repos/ann/desk/issues/${number}`, { state: 'closed' })
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => close(n)))
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 201))
    expect(await row(server, 'repo', { id: repository.id })).toMatchObject({
      open_issues_count: 0,
      closed_issues_count: 1,
    })
  })
})
