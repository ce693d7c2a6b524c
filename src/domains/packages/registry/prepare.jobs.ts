import { Type } from '@sinclair/typebox'
import type { Tx } from '../../../core/db/database.ts'
import type { Core } from '../../../core/module.ts'
import type { Subscriptions } from '../../../core/events/index.ts'
import { defineJob, type JobDefinitions, type JobPayloadsOf, type Jobs } from '../../../core/jobs/index.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { userQueries } from '../../accounts/index.ts'
import type { PackageContents } from '../packages/package-contents.service.ts'
import { hasStoredTexts } from './documents/package-document.store.ts'
import type { PackageDocuments } from './documents/package-documents.service.ts'
import type { PackageFormat } from './format.ts'
import type { PackageIndexes } from './indexes/package-indexes.service.ts'
import { baseOf } from './base-of.ts'

const prepareJobPayloads = {
  /** Generates the index and the documents that clients of a changed package read. */
  'packages.prepare': Type.Object({ owner_id: Type.Integer(), type: Type.String(), name: Type.String() }),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof prepareJobPayloads> {}
}

/** Merges a series of changes into one run. */
const DELAY_MS = 1_000

interface PrepareDeps extends Pick<Core, 'database'> {
  readonly contents: PackageContents
  readonly documents: PackageDocuments
  readonly indexes: PackageIndexes
  readonly formats: readonly PackageFormat[]
  rootUrl(): string
}

export function createPrepareJobs({
  database,
  contents,
  documents,
  indexes,
  formats,
  rootUrl,
}: PrepareDeps): JobDefinitions {
  return {
    'packages.prepare': defineJob(prepareJobPayloads['packages.prepare'], async ({ owner_id, type, name }) => {
      const owner = await userQueries.findById(database.read, asId<UserId>(owner_id))
      const format = formats.find((one) => one.type === type)
      if (owner === undefined || format === undefined) return
      const base = baseOf(rootUrl(), owner, type)
      if (format.index !== undefined) await indexes.prepare(owner, format.index(base))
      const entry = await contents.findPackage(owner, type, name)
      for (const document of (entry && format.documents?.(entry, base)) ?? []) await documents.get(document)
    }),
  }
}

interface ChangedPackage {
  readonly owner_id: number
  readonly type: string
  readonly name: string
}

/** Only indexes and documents that already exist are prepared: unread or short ones are generated on demand. */
export function prepareSubscriptions(jobs: Jobs): Subscriptions {
  async function prepare(tx: Tx, { owner_id, type, name }: ChangedPackage): Promise<void> {
    if (!(await hasStoredTexts(tx, { ownerId: asId(owner_id), type, name }))) return
    const key = `${owner_id} ${type} ${name}`
    await jobs.enqueue(tx, 'packages.prepare', { owner_id, type, name }, { key, delay: DELAY_MS })
  }
  return {
    'package.created': (tx, { payload }) => prepare(tx, payload),
    'package.deleted': (tx, { payload }) => prepare(tx, payload),
  }
}
