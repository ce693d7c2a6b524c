import { describe, expect, it } from 'vitest'
import { codeRepo, oracle, SMALL, useCodeWorld, type CodeWorld } from './code-world.ts'

describe.each(['sha1', 'sha256'] as const)('writing branches and tags of a %s repository', (format) => {
  let { server, ann, code } = {} as CodeWorld
  useCodeWorld(format, (world) => void ({ server, ann, code } = world))

  it('rejects requests without write access', async () => {
    const secret = await codeRepo(server, ann, { name: 'secret', format, history: SMALL, isPrivate: true })
    const bob = await server.world.user('bob')
    const calls = [
      ['post', '/branches', { new_branch_name: 'x' }],
      ['delete', '/branches/topic', undefined],
      ['patch', '/branches/topic', { name: 'x' }],
      ['put', '/branches/topic', { new_commit_id: 'main' }],
      ['post', '/tags', { tag_name: 'x' }],
      ['delete', '/tags/v1', undefined],
    ] as const
    for (const [method, path, body] of calls) {
      expect((await server.anonymous[method](code.path + path, body)).status, path).toBe(401)
      expect((await bob.client[method](code.path + path, body)).status, path).toBe(403)
      expect((await bob.client[method](secret.path + path, body)).status, path).toBe(404)
    }
    expect((await bob.client.get(`${secret.path}/tags`)).status).toBe(404)
  })

  it('creates and deletes branches', async () => {
    const made = await ann.client.post(`${code.path}/branches`, { new_branch_name: 'feat/x', old_ref_name: 'v1' })
    expect(made).toMatchObject({ status: 201, json: { name: 'feat/x', commit: { id: code.oid('v1^{commit}') } } })
    for (const [name, message] of [
      ['feat/x', 'The branch already exists.'],
      ['v1', 'The branch with the same tag already exists.'],
      ['feat', 'The branch with the same name already exists.'],
      ['feat/x/y', 'The branch with the same name already exists.'],
    ]) {
      expect(await ann.client.post(`${code.path}/branches`, { new_branch_name: name }), name).toMatchObject({
        status: 409,
        json: { message },
      })
    }
    expect((await ann.client.post(`${code.path}/branches`, { new_branch_name: 'a..b' })).json.message).toBe(
      '[BranchName]: GitRefName',
    )
    expect((await ann.client.post(`${code.path}/branches`, {})).json.message).toBe('[BranchName]: Required')
    const unborn = await ann.client.post(`${code.path}/branches`, { new_branch_name: 'y', old_branch_name: 'none' })
    expect([unborn.status, unborn.headers.get('x-ingot-message')]).toEqual([404, 'The old branch does not exist'])
    expect((await ann.client.delete(`${code.path}/branches/feat/x`)).status).toBe(204)
    expect((await ann.client.delete(`${code.path}/branches/feat/x`)).status).toBe(404)
    expect((await ann.client.delete(`${code.path}/branches/main`)).status).toBe(403)
  })

  it('updates and renames branches', async () => {
    const url = `${code.path}/branches/topic`
    const tip = code.oid('topic')
    const root = oracle(code.git.path, ['rev-list', '--max-parents=0', 'topic'])
    expect(
      (await ann.client.put(url, { new_commit_id: code.oid('main'), old_commit_id: code.oid('main') })).json.message,
    ).toContain('branch commit does not match')
    expect((await ann.client.put(url, { new_commit_id: root })).json.message).toBe(
      'Force push topic need a confirm force parameter',
    )
    expect((await ann.client.put(url, { new_commit_id: root, old_commit_id: tip, force: true })).status).toBe(204)
    expect(code.oid('topic')).toBe(root)
    const moves = await Promise.all(
      Array.from({ length: 6 }, () => ann.client.put(url, { new_commit_id: tip, old_commit_id: root })),
    )
    expect(moves.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([204, 422, 422, 422, 422, 422])
    const forced = await Promise.all(
      Array.from({ length: 6 }, (_, at) => ann.client.put(url, { new_commit_id: at % 2 ? tip : root, force: true })),
    )
    expect(forced.map((answer) => answer.status)).toEqual([204, 204, 204, 204, 204, 204])
    expect((await ann.client.patch(url, { name: 'main' })).status).toBe(422)
    expect((await ann.client.patch(`${code.path}/branches/main`, { name: 'trunk' })).status).toBe(204)
    expect((await ann.client.get(code.path)).json.default_branch).toBe('trunk')
    expect(oracle(code.git.path, ['symbolic-ref', 'HEAD'])).toBe('refs/heads/trunk')
    expect(await server.app.pushes.reconcile(code.repo.id)).toBe(false)
  })

  it('finds files by the old name of a branch until another branch has the name', async () => {
    const write = (path: string, body: object) => ann.client.post(`${code.path}${path}`, body)
    const text = async (path: string) => server.anonymous.get(path)
    const web = code.path.replace('/repos', '/')
    expect((await write('/branches', { new_branch_name: 'old/name' })).status).toBe(201)
    expect((await write('/contents/dir/renamed.txt', { content: 'eA==', branch: 'old/name' })).status).toBe(201)
    expect((await ann.client.patch(`${code.path}/branches/old/name`, { name: 'middle' })).status).toBe(204)
    expect((await ann.client.patch(`${code.path}/branches/middle`, { name: 'now' })).status).toBe(204)
    for (const name of ['old/name', 'middle', 'now']) {
      for (const path of [
        `${code.path}/raw/${name}/dir/renamed.txt`,
        `${code.path}/raw/dir/renamed.txt?ref=${name}`,
        `${code.path}/media/${name}/dir/renamed.txt`,
        `${web}/raw/branch/${name}/dir/renamed.txt`,
      ]) {
        expect(await text(path), path).toMatchObject({ status: 200, text: 'x' })
      }
      expect((await text(`${web}/raw/${name}/dir/renamed.txt`)).headers.get('location')).toBe(
        `${web.slice(1)}/raw/branch/${name}/dir/renamed.txt`,
      )
      expect((await text(`${web}/raw/tag/${name}/dir/renamed.txt`)).status).toBe(404)
      expect((await text(`${code.path}/branches/${name}`)).status).toBe(name === 'now' ? 200 : 404)
    }
    expect((await write('/branches', { new_branch_name: 'middle', old_ref_name: 'v1' })).status).toBe(201)
    expect((await text(`${web}/raw/branch/middle/dir/renamed.txt`)).status).toBe(404)
    expect((await ann.client.patch(`${code.path}/branches/now`, { name: 'old/name' })).status).toBe(204)
    expect((await text(`${web}/raw/branch/old/name/dir/renamed.txt`)).status).toBe(200)
    expect((await text(`${web}/raw/branch/now/dir/renamed.txt`)).status).toBe(200)
    for (const name of ['middle', 'old/name'])
      expect((await ann.client.delete(`${code.path}/branches/${name}`)).status).toBe(204)
    expect((await text(`${web}/raw/branch/now/dir/renamed.txt`)).status).toBe(404)
  })

  it('lists, creates and deletes tags', async () => {
    const list = await server.anonymous.get(`${code.path}/tags?limit=1`)
    expect([list.headers.get('x-total-count'), list.headers.get('link')]).toEqual(['2', null])
    const made = await ann.client.post(`${code.path}/tags`, { tag_name: 'rel/2', message: 'Two\n', target: 'v1' })
    expect(made).toMatchObject({
      status: 201,
      json: { name: 'rel/2', message: 'Two', id: code.oid('rel/2'), commit: { sha: code.oid('v1^{commit}') } },
    })
    expect((await ann.client.post(`${code.path}/tags`, { tag_name: 'light2' })).json.id).toBe(code.oid('trunk'))
    expect((await ann.client.post(`${code.path}/tags`, { tag_name: 'REL/2' })).json.message).toBe(
      'tag already exists [name: REL/2]',
    )
    expect((await ann.client.post(`${code.path}/tags`, { tag_name: 'x', target: 'none' })).status).toBe(404)
    expect((await ann.client.post(`${code.path}/tags`, { tag_name: 'bad name' })).status).toBe(422)
    expect((await server.anonymous.get(`${code.path}/tags/rel%2F2`)).status).toBe(200)
    expect((await ann.client.delete(`${code.path}/tags/rel/2`)).status).toBe(204)
    expect((await ann.client.delete(`${code.path}/tags/rel/2`)).status).toBe(404)
    expect(oracle(code.git.path, ['fsck', '--strict'])).not.toMatch(/error|missing|broken/)
  })
})
