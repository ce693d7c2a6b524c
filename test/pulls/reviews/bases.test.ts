import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { commitFile, createPull, pullWorld } from '../pull-world.ts'

describeOnBoth('an approval', (kind) => {
  const world = pullWorld({ on: kind })

  it('counts for the base that was approved', async () => {
    const { ann, wes } = world
    await commitFile(ann, { branch: 'draft', from: 'main' })
    const rule = { rule_name: 'main', required_approvals: 1 }
    expect((await ann.client.post('/repos/ann/app/branch_protections', rule)).status).toBe(201)
    await commitFile(wes, { branch: 'feat', from: 'main' })
    const { number } = await createPull(wes, { head: 'feat', base: 'draft' })
    const path = `/repos/ann/app/pulls/${number}`
    const approve = async () => (await ann.client.post(`${path}/reviews`, { event: 'APPROVED' })).json
    const retarget = async (base: string) => expect((await wes.client.patch(path, { base })).status).toBe(201)
    const merge = async () => {
      const { status, json } = await wes.client.post(`${path}/merge`, { Do: 'merge' })
      return [status, json?.message]
    }
    const missing = [422, 'Does not have enough approvals']
    const review = await approve()
    await retarget('main')
    await world.server.drain()
    expect(await merge()).toEqual(missing)
    expect((await ann.client.get(`${path}/reviews/${review.id}`)).json).toMatchObject({
      state: 'APPROVED',
      stale: true,
    })
    await approve()
    await retarget('draft')
  })
})
