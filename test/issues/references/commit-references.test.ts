import { expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { createIssue, issueWorld } from '../issue-world.ts'
import { pushCommits } from './push-commits.ts'

describeOnBoth('commits that refer to issues', (kind) => {
  const world = issueWorld({ on: kind })

  const push = (
    person: Person,
    messages: readonly string[],
    target?: { readonly repo?: string; readonly to?: string },
  ) => pushCommits(world.server, person, messages, target)
  const entriesOf = async (number: number, repo = 'ann/desk'): Promise<Any[]> =>
    (await world.ann.client.get(`/repos/${repo}/issues/${number}/timeline`)).json
  const kindsOf = async (number: number, repo?: string): Promise<string[]> =>
    (await entriesOf(number, repo)).map(({ type, user }) => `${type} ${user.login}`)
  /** Runs the job of a push to the default branch again. */
  const redeliver = async (oid: string): Promise<void> => {
    const repo = (await world.ann.client.get('/repos/ann/desk')).json
    const updates = [{ ref: 'refs/heads/main', old_oid: '0'.repeat(40), new_oid: oid }]
    await world.server.app.database.transaction((tx) =>
      world.server.app.jobs.enqueue(tx, 'push.refer', { repo_id: repo.id, pusher_id: world.ann.user.id, updates }),
    )
    await world.server.drain()
  }
  const stateOf = async (number: number, repo = 'ann/desk'): Promise<string> =>
    (await world.ann.client.get(`/repos/${repo}/issues/${number}`)).json.state

  it('are linked in the timeline and close and reopen issues', async () => {
    const { number } = await createIssue(world.ann)
    const [closing, reopening] = await push(world.wes, [
      `Mend <it> & that, fixes #${number}\n\nMore.`,
      `Reopens: #${number}`,
    ])
    await world.server.drain()
    expect(await kindsOf(number)).toEqual(['commit_ref wes', 'close wes', 'commit_ref wes', 'reopen wes'])
    const [reference, close, , reopen] = await entriesOf(number)
    expect(reference).toMatchObject({
      ref_commit_sha: closing,
      ref_action: 'none',
      body: `<a href="/ann/desk/commit/${closing}">Mend &lt;it&gt; &amp; that, fixes #${number}</a>`,
    })
    expect(close.commit_id).toBe(closing)
    expect(reopen.commit_id).toBe(reopening)
    expect(await stateOf(number)).toBe('open')
  })

  it('are written once, and their keywords act once, for repeated pushes and deliveries', async () => {
    const { number } = await createIssue(world.ann)
    const [oid] = await push(world.ann, [`Closes #${number}`], { to: 'topic' })
    await world.server.drain()
    expect(await kindsOf(number)).toEqual(['commit_ref ann'])
    expect(
      (await world.ann.client.post('/repos/ann/desk/branches', { new_branch_name: 'copy', old_ref_name: 'topic' }))
        .status,
    ).toBe(201)
    await world.server.drain()
    expect(await kindsOf(number)).toEqual(['commit_ref ann'])
    expect(await stateOf(number)).toBe('open')

    await redeliver(oid!)
    expect(await kindsOf(number)).toEqual(['commit_ref ann', 'close ann'])
    await world.ann.client.patch(`/repos/ann/desk/issues/${number}`, { state: 'open' })
    await redeliver(oid!)
    expect(await kindsOf(number)).toEqual(['commit_ref ann', 'close ann', 'reopen ann'])
    expect(await stateOf(number)).toBe('open')
  })

  it('act on the branch of the issue too', async () => {
    const { number } = await createIssue(world.ann, { ref: 'refs/heads/release' })
    const other = await createIssue(world.ann, { ref: 'other' })
    await push(world.ann, [`Fix #${number}, fix #${other.number}`], { to: 'release' })
    await world.server.drain()
    expect([await stateOf(number), await stateOf(other.number)]).toEqual(['closed', 'open'])
  })

  it('act on issues of other repositories that the pusher may write or has created', async () => {
    await world.server.world.repo({ owner: world.bob, name: 'own', autoInit: true })
    const [foreign, posted] = [await createIssue(world.ann), await createIssue(world.bob)]
    const hidden = await createIssue(world.ann, {}, 'ann/vault')
    const text = `Fixes ann/desk#${foreign.number}, fixes ann/desk#${posted.number}, fixes ann/vault#${hidden.number}`
    await push(world.bob, [text], { repo: 'bob/own' })
    await world.server.drain()
    expect(await kindsOf(foreign.number)).toEqual(['commit_ref bob'])
    expect(await kindsOf(posted.number)).toEqual(['commit_ref bob', 'close bob'])
    expect(await kindsOf(hidden.number, 'ann/vault')).toEqual([])
    expect((await world.bob.client.delete('/repos/bob/own')).status).toBe(204)
    expect(await kindsOf(posted.number)).toEqual(['close bob'])
  })

  it('are written once when the job fails between two commits and runs again', async () => {
    const [one, two] = [await createIssue(world.ann), await createIssue(world.ann)]
    let fails = true
    world.server.app.issueStateRules.register(async ({ issue }) => {
      if (issue.number === two.number && fails) throw new Error('the process was killed')
    })
    const oids = await push(world.ann, [`Closes #${one.number}`, `Closes #${two.number}`])
    await world.server.drain()
    expect([await kindsOf(one.number), await kindsOf(two.number)]).toEqual([['commit_ref ann', 'close ann'], []])
    fails = false
    await redeliver(oids.at(-1)!)
    for (const { number } of [one, two]) expect(await kindsOf(number)).toEqual(['commit_ref ann', 'close ann'])
  })

  it('do not close an issue that depends on an open one', async () => {
    const [open, dependent] = [await createIssue(world.ann), await createIssue(world.ann)]
    const dependencies = `/repos/ann/desk/issues/${dependent.number}/dependencies`
    expect((await world.ann.client.post(dependencies, { owner: 'ann', repo: 'desk', index: open.number })).status).toBe(
      201,
    )
    await push(world.ann, [`Closes #${dependent.number}`])
    await world.server.drain()
    expect(await kindsOf(dependent.number)).toEqual(['add_dependency ann', 'commit_ref ann'])
    expect(await stateOf(dependent.number)).toBe('open')
  })

  it('of a private repository are hidden from users who may not read it', async () => {
    const { number } = await createIssue(world.ann)
    await push(world.ann, [`About ann/desk#${number}`], { repo: 'ann/vault' })
    await world.server.drain()
    expect(await kindsOf(number)).toEqual(['commit_ref ann'])
    expect((await world.bob.client.get(`/repos/ann/desk/issues/${number}/timeline`)).json).toEqual([])
  })
})
