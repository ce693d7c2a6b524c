import { expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { createIssue, issueWorld } from '../issue-world.ts'

describeOnBoth('a comment that refers to an issue', (kind) => {
  const world = issueWorld({ on: kind })
  const ONE = '/repos/ann/desk/issues/comments'

  const comment = async (number: number, body: string): Promise<Any> => {
    const answer = await world.wes.client.post(`/repos/ann/desk/issues/${number}/comments`, { body })
    expect(answer.status).toBe(201)
    return answer.json
  }
  const referencesTo = async (number: number): Promise<Any[]> =>
    ((await world.bob.client.get(`/repos/ann/desk/issues/${number}/timeline`)).json as Any[]).filter(
      ({ type }) => type === 'comment_ref',
    )
  const actionsOn = async (number: number): Promise<string[]> =>
    (await referencesTo(number)).map(({ ref_action }) => ref_action)

  it('adds an entry with the issue and the comment', async () => {
    const [target, source] = [await createIssue(world.ann), await createIssue(world.ann)]
    const { id } = await comment(source.number, `fixes #${target.number}, not #${source.number}`)
    expect(await referencesTo(target.number)).toMatchObject([
      { ref_action: 'none', ref_issue: { number: source.number }, ref_comment: { id }, user: { login: 'wes' } },
    ])
    expect(await actionsOn(source.number)).toEqual([])
    await comment(source.number, `again #${target.number}`)
    expect(await actionsOn(target.number)).toEqual(['none', 'none'])
  })

  it('neutralizes the entry when the text is edited', async () => {
    const [target, source] = [await createIssue(world.ann), await createIssue(world.ann)]
    const { id } = await comment(source.number, `#${target.number}`)
    await comment(source.number, `#${target.number}`)
    expect((await world.wes.client.patch(`${ONE}/${id}`, { body: `#${target.number} still` })).status).toBe(200)
    expect(await actionsOn(target.number)).toEqual(['none', 'none'])
    expect((await world.wes.client.patch(`${ONE}/${id}`, { body: 'nothing' })).status).toBe(200)
    expect(await actionsOn(target.number)).toEqual(['neutered', 'none'])
  })

  it('leaves a neutralized entry without a comment when it is deleted', async () => {
    const [target, source] = [await createIssue(world.ann), await createIssue(world.ann)]
    const { id } = await comment(source.number, `#${target.number}`)
    expect((await world.wes.client.delete(`${ONE}/${id}`)).status).toBe(204)
    expect(await referencesTo(target.number)).toMatchObject([
      { ref_action: 'neutered', ref_issue: { number: source.number }, ref_comment: null },
    ])
  })
})
