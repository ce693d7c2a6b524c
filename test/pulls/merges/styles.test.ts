import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { commitFile, createPull, merge, merged, newPull, PULLS, pullWorld } from './merge-world.ts'

describeOnBoth('merging a pull request', (kind) => {
  const world = pullWorld({ on: kind })
  const tip = async () => (await world.ann.client.get('/repos/ann/app/branches/main')).json.commit.id
  const timeline = async (number: number) =>
    (await world.ann.client.get(`/repos/ann/app/issues/${number}/timeline`)).json.map(
      (entry: { type: string }) => entry.type,
    )

  it('creates a merge commit, closes the pull request and shows it at once', async () => {
    const pull = await newPull(world.wes, 'plain')
    expect((await world.eve.client.get(`${PULLS}/${pull.number}/merge`)).status).toBe(404)
    const before = await tip()
    const commit = await merged(world.ann, pull.number)
    expect(commit.commit.message).toBe(`Merge pull request 'Pull plain' (#${pull.number}) from plain into main\n`)
    expect(commit.parents.map((parent: { sha: string }) => parent.sha)).toEqual([before, pull.head.sha])
    expect(commit.commit).toMatchObject({ author: { name: 'ann' }, committer: { name: 'ann' } })
    expect((await world.eve.client.get(`${PULLS}/${pull.number}/merge`)).status).toBe(204)
    expect((await world.eve.client.get(`${PULLS}/${pull.number}`)).json).toMatchObject({
      state: 'closed',
      merged: true,
      mergeable: true,
      merge_commit_sha: commit.sha,
      merged_by: { login: 'ann' },
      merge_base: before,
      closed_at: expect.any(String),
    })
    expect(await tip()).toBe(commit.sha)
    expect(await timeline(pull.number)).toEqual(['pull_push', 'merge_pull'])
    const ofCommit = (sha: string) => world.eve.client.get(`/repos/ann/app/commits/${sha}/pull`)
    expect((await ofCommit(commit.sha)).json).toMatchObject({ number: pull.number, merged: true })
    expect((await ofCommit(pull.head.sha)).status).toBe(404)
    const again = await merge(world.ann, pull.number)
    expect([again.status, again.json.message]).toEqual([422, 'The PR is already merged'])
  })

  it('uses title and message of the request, in both spellings', async () => {
    const one = await newPull(world.wes, 'titled')
    const first = await merged(world.ann, one.number, { MergeTitleField: ' Given ', MergeMessageField: 'More\n' })
    expect(first.commit.message).toBe('Given\n\nMore\n')
    const two = await newPull(world.wes, 'snake')
    const body = { merge_title_field: 'Snake', MergeTitleField: 'Not this', merge_message_field: 'm' }
    expect((await merged(world.ann, two.number, body)).commit.message).toBe('Snake\n\nm\n')
    const three = await newPull(world.wes, 'small')
    expect((await merged(world.ann, three.number, { Do: undefined, do: 'squash' })).parents).toHaveLength(1)
    expect((await merge(world.ann, three.number, { Do: undefined })).json.message).toBe('[Do]: Required')
  })

  it('squashes as the author, with trailers when another account merges', async () => {
    const pull = await newPull(world.wes, 'squashed')
    await commitFile(world.wes, { branch: 'squashed', path: 'second.txt' })
    await world.server.drain()
    const before = await tip()
    const commit = await merged(world.ann, pull.number, { Do: 'squash' })
    expect(commit.parents.map((parent: { sha: string }) => parent.sha)).toEqual([before])
    expect(commit.commit).toMatchObject({ author: { name: 'wes' }, committer: { name: 'ann' } })
    const { email } = commit.commit.author
    expect(commit.commit.message).toBe(
      `Pull squashed (#${pull.number})\n\nCo-authored-by: wes <${email}>\nCo-committed-by: wes <${email}>\n`,
    )
    const own = await newPull(world.ann, 'own')
    expect((await merged(world.ann, own.number, { Do: 'squash' })).commit.message).toBe(`Pull own (#${own.number})\n`)
  })

  it('replays commits with their authors, and can join them by a merge commit', async () => {
    const pull = await newPull(world.wes, 'replayed')
    await commitFile(world.ann, { branch: 'main', path: 'between.txt' })
    const before = await tip()
    const commit = await merged(world.ann, pull.number, { Do: 'rebase', MergeTitleField: 'not used' })
    expect(commit.commit).toMatchObject({
      message: 'Add replayed.txt\n',
      author: { name: 'wes' },
      committer: { name: 'ann' },
    })
    expect(commit.parents).toMatchObject([{ sha: before }])
    const second = await newPull(world.wes, 'joined')
    await commitFile(world.ann, { branch: 'main', path: 'between2.txt' })
    const base = await tip()
    const joined = await merged(world.ann, second.number, { Do: 'rebase-merge', MergeTitleField: 'Joined' })
    expect(joined.commit.message).toBe('Joined\n')
    expect(joined.parents).toMatchObject([{ sha: base }, {}])
    expect(joined.parents[1].sha).not.toBe(second.head.sha)
  })

  it('fast-forwards, and refuses when the base has moved', async () => {
    const pull = await newPull(world.wes, 'forward')
    const commit = await merged(world.ann, pull.number, { Do: 'fast-forward-only' })
    expect(commit.sha).toBe(pull.head.sha)
    const late = await newPull(world.wes, 'late')
    await commitFile(world.ann, { branch: 'main', path: 'between3.txt' })
    const refused = await merge(world.ann, late.number, { Do: 'fast-forward-only' })
    expect(refused.status).toBe(409)
    expect(refused.json).toMatchObject({ StdErr: expect.any(String), Err: expect.any(String) })
  })

  it('merges from a fork and names its repository with the branch', async () => {
    await commitFile(world.bob, { branch: 'forked', from: 'main', repo: 'bob/app' })
    const pull = await createPull(world.bob, { head: 'bob:forked', title: 'Forked' })
    const commit = await merged(world.wes, pull.number)
    expect(commit.commit.message).toBe(`Merge pull request 'Forked' (#${pull.number}) from bob/app:forked into main\n`)
  })

  it('records a manual merge', async () => {
    await world.ann.client.patch('/repos/ann/app', { allow_manual_merge: true })
    const pull = await newPull(world.wes, 'manual')
    const wrong = { Do: 'manually-merged', MergeCommitID: pull.head.sha }
    expect((await merge(world.ann, pull.number, wrong)).json.message).toBe('Wrong commit ID')
    const done = await tip()
    const commit = await merged(world.ann, pull.number, { Do: 'manually-merged', merge_commit_id: done })
    expect(commit.sha).toBe(done)
    expect((await world.ann.client.get(`${PULLS}/${pull.number}`)).json).toMatchObject({
      merged: true,
      merge_commit_sha: done,
    })
  })

  it('deletes the head branch when requested or configured, and closes issues that the body names', async () => {
    const issue = (await world.ann.client.post('/repos/ann/app/issues', { title: 'Broken' })).json
    const pull = await newPull(world.wes, 'gone', { body: `Fixes #${issue.number}` })
    const commit = await merged(world.wes, pull.number, { delete_branch_after_merge: true })
    expect((await world.ann.client.get('/repos/ann/app/branches/gone')).status).toBe(404)
    expect(await timeline(pull.number)).toEqual(['pull_push', 'merge_pull', 'delete_branch'])
    expect((await world.ann.client.get(`/repos/ann/app/issues/${issue.number}`)).json.state).toBe('closed')
    const entries = (await world.ann.client.get(`/repos/ann/app/issues/${issue.number}/timeline`)).json
    expect(entries.at(-1)).toMatchObject({ type: 'close', commit_id: commit.sha })
    await world.ann.client.patch('/repos/ann/app', { default_delete_branch_after_merge: true })
    const kept = await newPull(world.wes, 'kept')
    await merged(world.wes, kept.number, { delete_branch_after_merge: false })
    const byDefault = await newPull(world.wes, 'default')
    await merged(world.wes, byDefault.number)
    const branches = (await world.ann.client.get('/repos/ann/app/branches?limit=50')).json
    const names = branches.map((branch: { name: string }) => branch.name)
    expect(names).toContain('kept')
    expect(names).not.toContain('default')
    await world.ann.client.patch('/repos/ann/app', { default_delete_branch_after_merge: false })
  })

  it('reads the default message from a template of the repository', async () => {
    const template = 'Merge ${PullRequestReference}: ${PullRequestTitle}\n\n${ClosingIssues}${Unknown}\n${ReviewedOn}\n'
    await commitFile(world.ann, {
      branch: 'main',
      path: '.gitea/default_merge_message/MERGE_TEMPLATE.md',
      text: template,
    })
    const issue = (await world.ann.client.post('/repos/ann/app/issues', { title: 'Also broken' })).json
    const pull = await newPull(world.wes, 'template', { body: `closes #${issue.number}` })
    const commit = await merged(world.ann, pull.number)
    expect(commit.commit.message).toBe(
      `Merge #${pull.number}: Pull template\n\nclose #${issue.number}\${Unknown}\nReviewed-on: ${pull.html_url}\n`,
    )
  })

  it('shows the merge in the feed as a merge', async () => {
    const pull = await newPull(world.wes, 'fed')
    await merged(world.wes, pull.number)
    const feed = (await world.wes.client.get('/users/wes/activities/feeds?only-performed-by=true')).json
    expect(
      feed.some(
        (entry: { op_type: string; content: string }) =>
          entry.op_type === 'merge_pull_request' && entry.content.startsWith(`${pull.number}|`),
      ),
    ).toBe(true)
  })
})
