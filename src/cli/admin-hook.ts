import { wireTime } from '../core/platform/clock.ts'
import type { Paging } from '../core/platform/paging.ts'
import { type CommandInput, text } from './command.ts'
import { withCore } from './with-core.ts'

const PAGE = 100

export async function listDeadDeliveries({ config, print }: CommandInput): Promise<number> {
  await withCore(config(), async ({ hookDeliveries }) => {
    for (let page = 1; ; page++) {
      const paging: Paging = { page, limit: PAGE, offset: (page - 1) * PAGE }
      const { items } = await hookDeliveries.listDead(paging)
      for (const { uuid, hookId, eventType, createdAt, attempts, url, error } of items)
        print([uuid, hookId, eventType, wireTime(createdAt), attempts, url, error.replaceAll(/\s+/g, ' ')].join('\t'))
      if (items.length < PAGE) return
    }
  })
  return 0
}

export async function requeueDeadDeliveries({ values, config, print }: CommandInput): Promise<number> {
  const uuid = text(values, 'uuid')
  const count = await withCore(config(), async ({ hookDeliveries }) => {
    if (uuid === undefined) return hookDeliveries.requeueAll()
    await hookDeliveries.requeue(uuid)
    return 1
  })
  print(count === 1 ? '1 delivery is queued again.' : `${count} deliveries are queued again.`)
  return 0
}
