import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { allowInsecureRequests, discovery } from 'openid-client'
import { expect, it } from 'vitest'
import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { rpc } from '../harness/runner.ts'
import { runnerWorld } from './runner-world.ts'

describeOnBoth('ID tokens of jobs', (kind) => {
  const world = runnerWorld(kind)
  const name = (): string => world.path.slice('/repos/'.length, -'/actions'.length)
  const issuer = (): string => `${world.server.url}/api/actions/oidc`

  /** Commits a workflow with these jobs, which starts. */
  async function start(jobs: string): Promise<void> {
    const content = Buffer.from(`name: CI\non: push\njobs:\n${jobs}`).toString('base64')
    const path = `/repos/${name()}/contents/.gitea/workflows/ci.yml`
    expect((await world.ann.client.post(path, { content, message: 'CI' })).status).toBe(201)
    await world.server.drain()
  }
  async function take(): Promise<{ readonly id: bigint; readonly context: Any }> {
    const { task } = await world.runner.call(rpc.fetchTask, {})
    return { id: task!.id, context: task!.context as Any }
  }
  /** Requests a token like `getIDToken` of @actions/core. */
  async function ask({ context }: { readonly context: Any }, audience?: string): Promise<Any> {
    const { actions_id_token_request_url: url, actions_id_token_request_token: token } = context
    const query = audience === undefined ? '' : `&audience=${encodeURIComponent(audience)}`
    const answer = await fetch(`${url ?? `${issuer()}/token?x`}${query}`, {
      headers: { authorization: `Bearer ${token ?? context.gitea_runtime_token}` },
    })
    return { status: answer.status, ...((await answer.json()) as object) }
  }
  /** The claims, verified as other services do: with the keys that the issuer publishes. */
  async function verify(token: string, audience: string): Promise<Any> {
    const options = { execute: [allowInsecureRequests] }
    const metadata = (await discovery(new URL(issuer()), 'any', undefined, undefined, options)).serverMetadata()
    expect(metadata.issuer).toBe(issuer())
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri!))
    const { payload } = await jwtVerify(token, keys, { issuer: issuer(), audience, algorithms: ['RS256'] })
    expect(metadata['claims_supported']).toEqual(expect.arrayContaining(Object.keys(payload)))
    return payload
  }

  it('contain the claims of the job and the requested audience, until the job ends', async () => {
    await start('  a: { runs-on: host, permissions: { id-token: write }, steps: [{ run: make }] }\n')
    const task = await take()
    const { value, count } = await ask(task, 'sts.example.test')
    expect(count).toBe(value.length)
    const claims = await verify(value, 'sts.example.test')
    const [run] = await rows(world.server, 'action_run', { repo_id: world.repoId })
    const workflow = `${name()}/.gitea/workflows/ci.yml@refs/heads/main`
    expect(claims).toMatchObject({
      sub: `repo:${name()}:ref:refs/heads/main`,
      repository: name(),
      repository_id: String(world.repoId),
      repository_owner: 'ann',
      repository_owner_id: String(world.ann.user.id),
      repository_visibility: 'public',
      ref: 'refs/heads/main',
      ref_type: 'branch',
      sha: run!.oid,
      event_name: 'push',
      actor: 'ann',
      workflow: 'CI',
      workflow_ref: workflow,
      job_workflow_ref: workflow,
      run_id: String(run!.id),
      run_number: '1',
      run_attempt: '1',
      runner_environment: 'self-hosted',
    })
    expect(claims).not.toHaveProperty('environment')
    expect([claims.exp - claims.iat, claims.iat - claims.nbf]).toEqual([300, 60])
    expect((await verify((await ask(task)).value, `${world.server.url}/ann`)).jti).not.toBe(claims.jti)
    expect((await ask(task, 'x'.repeat(300))).status).toBe(400)
    const [url, token] = [task.context.actions_id_token_request_url, task.context.actions_id_token_request_token]
    const forged = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
    expect((await fetch(url, { headers: { authorization: `Bearer ${forged}` } })).status).toBe(401)
    expect((await fetch(url)).status).toBe(401)
    await world.runner.call(rpc.updateTask, { state: { id: task.id, result: Result.SUCCESS } })
    expect((await ask(task)).status).toBe(401)
  })

  it('name the environment of the job, and no called workflow that only the runner knows', async () => {
    await start(`  a:
    runs-on: host
    permissions: write-all
    strategy: { matrix: { place: [prod:eu] } }
    environment: { name: "\${{ matrix.place }}", url: "\${{ steps.x.outputs.url }}" }
    uses: ./.gitea/workflows/other.yml
`)
    const claims = await verify((await ask(await take(), 'x')).value, 'x')
    expect([claims.sub, claims.environment]).toEqual([`repo:${name()}:environment:prod%3Aeu`, 'prod:eu'])
    expect(claims).not.toHaveProperty('job_workflow_ref')
  })

  it('are only for jobs that ask for them, and never for code of other people', async () => {
    const permissions = ['{}', 'read-all', '{ id-token: read, contents: write }']
    const jobs = permissions.map((text, n) => `  a${n}: { runs-on: host, permissions: ${text}, steps: [{ run: x }] }\n`)
    await start(`${jobs.join('')}  a3: { runs-on: host, steps: [{ run: x }] }\n`)
    for (const _ of Array.from({ length: 4 })) {
      const task = await take()
      expect(task.context).not.toHaveProperty('actions_id_token_request_url')
      expect((await ask(task)).status).toBe(403)
      await world.runner.call(rpc.updateTask, { state: { id: task.id, result: Result.SUCCESS } })
    }
    await world.server.drain()
    const { id } = (await world.ann.client.get(`${world.path}/runs`)).json.workflow_runs[0]
    await world.server.app.database.transaction(async (tx) => {
      await tx.updateTable('action_run').set({ is_from_fork: 1 }).where('id', '=', id).execute()
      await tx.updateTable('action_job').set({ permissions: '{"id-token":"write"}' }).where('run_id', '=', id).execute()
    })
    expect((await world.ann.client.post(`${world.path}/runs/${id}/rerun`)).status).toBe(201)
    const task = await take()
    expect(task.context).not.toHaveProperty('actions_id_token_request_url')
    expect((await ask(task)).status).toBe(403)
  })

  it('are signed by a new key after 90 days, and those of the key before stay valid', async () => {
    await start('  a: { runs-on: host, permissions: { id-token: write }, steps: [{ run: x }] }\n')
    const task = await take()
    const old = (await ask(task, 'x')).value
    const age = (days: number) =>
      world.server.app.database.transaction((tx) =>
        tx
          .updateTable('action_id_token_key')
          .set(({ eb }) => ({ created_at: eb('created_at', '-', days * 86_400_000) }))
          .execute(),
      )
    const kidOf = (token: string): string => decodeProtectedHeader(token).kid!
    await age(91)
    const renewed = (await ask(task, 'x')).value
    expect(kidOf(renewed)).not.toBe(kidOf(old))
    await verify(old, 'x')
    await verify(renewed, 'x')
    await age(91)
    const last = (await ask(task, 'x')).value
    const { keys } = (await (await fetch(`${issuer()}/jwks`)).json()) as Any
    expect(keys.map(({ kid, alg, kty, d }: Any) => [kid, alg, kty, d])).toEqual([
      [kidOf(last), 'RS256', 'RSA', undefined],
      [kidOf(renewed), 'RS256', 'RSA', undefined],
    ])
    const [row] = await rows(world.server, 'action_id_token_key', { key_id: kidOf(last) })
    expect(row!.private_key).not.toContain('PRIVATE KEY')
  })
})
