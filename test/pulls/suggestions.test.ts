import { expect, it, vi } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import type { Person } from '../harness/world.ts'
import { commitFile, createPull, pullWorld } from './pull-world.ts'

const PULLS = '/repos/ann/app/pulls'
const suggestion = (...lines: string[]): string => ['```suggestion', ...lines, '```'].join('\n')
/** A comment on lines of the new file. */
const on = (path: string, [first, last]: readonly [number, number], body: string) => ({
  path,
  body,
  new_start_position: first,
  new_position: last,
})

describeOnBoth('applying suggestions', (kind) => {
  const world = pullWorld({ on: kind })

  /** A pull request of a branch with `n.txt`, which has lines from 1 to 9. */
  async function newPull(
    branch: string,
    options: { by?: Person; repo?: string; allow_maintainer_edit?: boolean } = {},
  ): Promise<Any> {
    const { by = world.wes, repo = 'ann/app', ...body } = options
    const text = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((line) => `${line}\n`).join('')
    await commitFile(by, { branch, from: 'main', path: 'n.txt', text, repo })
    return createPull(by, { head: repo === 'ann/app' ? branch : `${by.name}:${branch}`, ...body })
  }
  /** Posts a review; returns the ids of its comments. */
  async function comment(by: Person, number: number, comments: readonly object[]): Promise<number[]> {
    const reviews = `${PULLS}/${number}/reviews`
    const { json } = await by.client.post(reviews, { event: 'COMMENT', comments })
    return (await by.client.get(`${reviews}/${json.id}/comments`)).json.map(({ id }: Any) => id)
  }
  const apply = (by: Person, id: number, body: object = {}) => by.client.post(`${PULLS}/comments/${id}/apply`, body)
  const applyAll = (by: Person, number: number, comments: readonly number[], body: object = {}) =>
    by.client.post(`${PULLS}/${number}/suggestions`, { comments, ...body })
  const refusal = async (answer: ReturnType<typeof apply>): Promise<unknown> => {
    const { status, json } = await answer
    return [status, json.message]
  }
  const textOf = async (path: string, branch: string, repo = 'ann/app'): Promise<string> =>
    (await world.ann.client.get(`/repos/${repo}/raw/${path}?ref=${branch}`)).text

  it('pushes a commit of the caller to the head branch, and resolves the comment', async () => {
    const { number, head } = await newPull('one')
    const [id] = await comment(world.bob, number, [on('n.txt', [2, 4], `Shorter:\n${suggestion('two', 'three+')}`)])
    const { status, json } = await apply(world.ann, id!)
    expect(status).toBe(201)
    expect(json).toMatchObject({
      author: { login: 'ann' },
      parents: [{ sha: head.sha }],
      files: [{ filename: 'n.txt' }],
    })
    const bob = (await world.bob.client.get('/user')).json
    expect(json.commit).toMatchObject({
      message: `Apply suggestion to n.txt\n\nCo-authored-by: bob <${bob.email}>\n`,
      author: { name: 'ann' },
      committer: { name: 'ann' },
    })
    expect(await textOf('n.txt', 'one')).toBe('1\ntwo\nthree+\n5\n6\n7\n8\n9\n')
    await world.server.drain()
    expect((await world.ann.client.get(`${PULLS}/${number}`)).json.head.sha).toBe(json.sha)
    const timeline = (await world.ann.client.get(`/repos/ann/app/issues/${number}/timeline`)).json
    const pushes = timeline.filter(({ type }: Any) => type === 'pull_push')
    expect(JSON.parse(pushes.at(-1).body)).toEqual({ is_force_push: false, commit_ids: [json.sha] })
    expect(await refusal(apply(world.ann, id!))).toEqual([409, `comment ${id} is resolved`])
    const { read } = world.server.app.database
    expect(await read.selectFrom('job').select('id').where('kind', '=', 'suggestions.recover').execute()).toEqual([])
    await world.ann.client.post(`${PULLS}/comments/${id}/unresolve`)
    expect(await refusal(apply(world.ann, id!))).toEqual([422, `comment ${id} is outdated`])
  })

  it('writes several in one commit, to lines that a push has just moved', async () => {
    const { number } = await newPull('several')
    const more = { branch: 'several', path: 'm.txt', text: 'a\r\nb' }
    await commitFile(world.wes, more)
    await world.server.drain()
    const first = await comment(world.bob, number, [
      on('n.txt', [2, 2], suggestion()),
      on('m.txt', [2, 2], suggestion('B', 'c')),
    ])
    const second = await comment(world.eve, number, [on('n.txt', [8, 9], suggestion('8', '9', '10'))])
    const file = '/repos/ann/app/contents/n.txt'
    const { sha, content } = (await world.wes.client.get(`${file}?ref=several`)).json
    const moved = Buffer.from(`0\n${Buffer.from(content, 'base64').toString()}`).toString('base64')
    await world.wes.client.put(file, { branch: 'several', sha, content: moved, message: 'Move' })
    const message = 'Apply all\n\nBody.\n\nRefs: 1'
    const { status, json } = await applyAll(world.bob, number, [...first, ...second, first[0]!], { message })
    expect([status, json.message]).toEqual([403, 'user should have a permission to write to the head branch'])
    const applied = await applyAll(world.wes, number, [...first, ...second, first[0]!], { message })
    expect(applied.status).toBe(201)
    expect(applied.json.commit.message.split('\n').slice(0, 7)).toEqual([
      'Apply all',
      '',
      'Body.',
      '',
      'Refs: 1',
      expect.stringMatching(/^Co-authored-by: bob </),
      expect.stringMatching(/^Co-authored-by: eve </),
    ])
    expect(await textOf('n.txt', 'several')).toBe('0\n1\n3\n4\n5\n6\n7\n8\n9\n10\n')
    expect(await textOf('m.txt', 'several')).toBe('a\r\nB\nc')
  })

  it('succeeds for one of two concurrent requests', async () => {
    const { number, head } = await newPull('raced')
    const ids = await comment(world.bob, number, [
      on('n.txt', [1, 1], suggestion('x')),
      on('n.txt', [5, 5], suggestion('y')),
    ])
    const seen = { head_commit_id: head.sha }
    const answers = await Promise.all([apply(world.ann, ids[0]!, seen), apply(world.wes, ids[1]!, seen)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
    const lost = answers.findIndex(({ status }) => status === 409)
    expect(answers[lost]!.json.message).toBe('head out of date')
    const stale = apply(world.ann, ids[lost]!, seen)
    expect(await refusal(stale)).toEqual([409, 'head out of date'])
    const current = answers[1 - lost]!.json.sha
    expect((await apply(world.ann, ids[lost]!, { head_commit_id: current })).status).toBe(201)
    expect(await textOf('n.txt', 'raced')).toBe('x\n2\n3\n4\ny\n6\n7\n8\n9\n')
  })

  it('is refused with a reason', async () => {
    const { number } = await newPull('refused')
    const other = await newPull('other')
    const [foreign] = await comment(world.bob, other.number, [on('n.txt', [1, 1], suggestion('x'))])
    const [none, two, whole, within, same, missing, old] = await comment(world.bob, number, [
      on('n.txt', [1, 1], 'no'),
      on('n.txt', [1, 1], `${suggestion('a')}\n${suggestion('b')}`),
      on('n.txt', [3, 5], suggestion('x')),
      on('n.txt', [4, 4], suggestion('y')),
      on('n.txt', [7, 7], suggestion('7')),
      on('none.txt', [1, 1], suggestion('x')),
      { path: 'README.md', body: suggestion('x'), old_position: 1 },
    ])
    const plain = (await world.bob.client.post(`/repos/ann/app/issues/${number}/comments`, { body: suggestion('x') }))
      .json
    const draft = { event: 'PENDING', body: 'x', comments: [on('n.txt', [1, 1], suggestion('x'))] }
    const pending = (await world.ann.client.post(`${PULLS}/${number}/reviews`, draft)).json
    const [own] = (await world.ann.client.get(`${PULLS}/${number}/reviews/${pending.id}/comments`)).json
    const one = (id: number, body = {}) => refusal(apply(world.ann, id, body))
    expect(await one(none!)).toEqual([422, `comment ${none} has no suggestion`])
    expect(await one(two!)).toEqual([422, `comment ${two} has 2 suggestions, apply it alone with "suggestion"`])
    expect(await one(two!, { suggestion: 3 })).toEqual([422, '[Suggestion]: Range (1 to 2)'])
    expect(await one(same!)).toEqual([422, 'the suggestions change nothing'])
    expect(await one(missing!)).toEqual([422, 'none.txt does not exist'])
    expect(await one(old!)).toEqual([422, `comment ${old} is on lines of the old file`])
    expect(await one(plain.id)).toEqual([400, `comment ${plain.id} is not a review comment`])
    expect(await one(own.id)).toEqual([422, `comment ${own.id} is of a review that is not submitted`])
    expect((await apply(world.wes, own.id)).status).toBe(404)
    expect((await apply(world.ann, 999_999)).status).toBe(404)
    expect((await applyAll(world.ann, number, [whole!, foreign!])).status).toBe(404)
    expect(await refusal(applyAll(world.ann, number, []))).toEqual([422, '[Comments]: Required'])
    expect(await refusal(applyAll(world.ann, number, [within!, whole!]))).toEqual([
      422,
      'suggestions overlap at line 4',
    ])
    expect((await apply(world.eve, whole!)).status).toBe(403)
    expect((await world.server.anonymous.post(`${PULLS}/comments/${whole}/apply`)).status).toBe(401)
    expect((await apply(world.ann, two!, { suggestion: 2 })).status).toBe(201)
    expect(await textOf('n.txt', 'refused')).toMatch(/^b\n2\n/)
    await world.ann.client.patch(`${PULLS}/${number}`, { state: 'closed' })
    expect(await one(whole!)).toEqual([422, 'the pull request is closed'])
    await world.ann.client.patch('/repos/ann/app', { archived: true })
    expect(await one(foreign!)).toEqual([423, 'ann/app is archived'])
    await world.ann.client.patch('/repos/ann/app', { archived: false })
  })

  it('obeys the protection of the head branch', async () => {
    const { number } = await newPull('guarded')
    const [id] = await comment(world.bob, number, [on('n.txt', [1, 1], suggestion('x'))])
    const rule = { rule_name: 'guarded', enable_push: true, protected_file_patterns: 'n.txt' }
    expect((await world.ann.client.post('/repos/ann/app/branch_protections', rule)).status).toBe(201)
    const path = [403, 'path is protected and can not be changed [path: n.txt]']
    expect(await refusal(apply(world.wes, id!))).toEqual(path)
    await world.ann.client.patch('/repos/ann/app/branch_protections/guarded', {
      enable_push: false,
      protected_file_patterns: '',
    })
    expect(await refusal(apply(world.wes, id!))).toEqual([403, 'user cannot commit to repo [user: wes]'])
    await world.ann.client.delete('/repos/ann/app/branch_protections/guarded')
    expect((await apply(world.wes, id!)).status).toBe(201)
  })

  it('writes to a fork for maintainers only if the author allows it', async () => {
    const repo = 'bob/app'
    const own = await newPull('own', { by: world.bob, repo, allow_maintainer_edit: false })
    const open = await newPull('open', { by: world.bob, repo, allow_maintainer_edit: true })
    const [closed] = await comment(world.eve, own.number, [on('n.txt', [1, 1], suggestion('x'))])
    const [id] = await comment(world.eve, open.number, [on('n.txt', [1, 1], suggestion('x'))])
    expect((await apply(world.wes, closed!)).status).toBe(403)
    expect((await apply(world.eve, id!)).status).toBe(403)
    const applied = await apply(world.wes, id!)
    expect(applied.status).toBe(201)
    expect(applied.json.html_url).toBe(`${world.server.url}/bob/app/commit/${applied.json.sha}`)
    expect(await textOf('n.txt', 'open', repo)).toMatch(/^x\n2\n/)
    expect((await apply(world.bob, closed!)).status).toBe(201)
    await world.server.drain()
    expect((await world.ann.client.get(`${PULLS}/${open.number}`)).json.head.sha).toBe(applied.json.sha)
  })

  it('resolves the comments after a crash between the move of the branch and its record', async () => {
    const { number } = await newPull('crashed')
    const [id] = await comment(world.bob, number, [on('n.txt', [2, 2], suggestion('two'))])
    const { database, jobs } = world.server.app
    const cancel = vi.spyOn(jobs, 'cancel').mockResolvedValue()
    expect((await apply(world.ann, id!)).status).toBe(201)
    cancel.mockRestore()
    // The state after a process that ended once the ref had moved.
    await world.ann.client.post(`${PULLS}/comments/${id}/unresolve`)
    await database.transaction((tx) => tx.updateTable('job').set({ run_at: 0 }).execute())
    await world.server.drain()
    const { json } = await world.ann.client.get(`${PULLS}/${number}/reviews`)
    const comments = (await world.ann.client.get(`${PULLS}/${number}/reviews/${json[0].id}/comments`)).json
    expect(comments[0].resolver.login).toBe('ann')
  })
})
