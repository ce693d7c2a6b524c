import { wireTime } from '../../../core/platform/clock.ts'
import type { RepoMigration } from './migration.model.ts'
import type { RepoImport } from './records/repo-import.store.ts'

/** `owner`: the name of the owner of the new repository; empty if it was deleted. */
export const presentMigration = (found: RepoImport, owner: string): RepoMigration => ({
  id: found.id,
  state: found.state,
  owner,
  name: found.name,
  phase: found.state === 'running' ? found.phase : '',
  done: found.done,
  total: found.total,
  warnings: [...found.warnings],
  warnings_count: found.warningsCount,
  error: found.error,
  repo_id: found.state === 'done' ? (found.repoId ?? null) : null,
  created_at: wireTime(found.createdAt),
  updated_at: wireTime(found.updatedAt),
})
