import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessQueries } from '../../src/domains/repositories/index.ts'
import { oracle } from '../core/git/fixture.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { viewerOf } from '../harness/world.ts'

describeOnBoth('a push that is recorded after a later one', (kind) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ on: kind })
  })
  afterAll(() => server.close())

  it.each([
    ['moved the branch', false],
    ['deleted the branch', true],
  ])('does not take the branch back when that one %s', async (what, isDeletion) => {
    const ann = await server.world.user(isDeletion ? 'bob' : 'ann')
    const repo = await server.world.repo({ owner: ann, name: 'r', autoInit: true, defaultBranch: 'main' })
    const path = server.app.git.path(repo.storage)
    const viewer = viewerOf(ann.user)
    const access = await accessQueries.load(server.app.database.read, viewer, repo)
    const policy = server.app.pushes.policyFor(viewer, { repo, access })
    // The push has moved the ref, and its process has not yet come to recording it.
    const oldOid = '0'.repeat(40)
    const newOid = oracle(path, ['commit-tree', 'main^{tree}', '-p', 'main', '-m', what])
    oracle(path, ['update-ref', 'refs/heads/work', newOid, oldOid])
    const move = { ref: 'refs/heads/work', oldOid, newOid }
    const command = { ...move, kind: 'create' } as const
    const later = isDeletion
      ? await ann.client.delete(`/repos/${ann.name}/r/branches/work`)
      : await ann.client.post(`/repos/${ann.name}/r/contents/f`, { content: 'eA==', message: 'later', branch: 'work' })
    expect(later.status, JSON.stringify(later.json)).toBe(isDeletion ? 204 : 201)
    await policy.postReceive!([{ command, moves: [move], error: undefined }], {
      repo: server.app.git.open(repo),
      commands: [command],
      pushOptions: [],
      atomic: false,
      env: {},
      objects: 1,
      isForced: () => Promise.resolve(false),
    })
    const shown = await ann.client.get(`/repos/${ann.name}/r/branches/work`)
    if (isDeletion) expect(shown.status).toBe(404)
    else expect(shown.json.commit.id).toBe(later.json.commit.sha)
    expect(await server.app.pushes.inspect(repo.id)).toBeUndefined()
  })
})
