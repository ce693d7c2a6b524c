import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Repo } from '../repo.store.ts'

/** What a new repository may copy from the template that it is generated from. */
export const TEMPLATE_ITEMS = [
  'git_content',
  'topics',
  'git_hooks',
  'webhooks',
  'avatar',
  'labels',
  'protected_branch',
] as const
export type TemplateItem = (typeof TEMPLATE_ITEMS)[number]

interface TemplateCopy {
  /** Creates the new repository and may read the template. */
  readonly actor: SignedIn
  readonly template: Repo
  /** The new repository. */
  readonly repoId: RepoId
}

/** Copies what another module stores for a repository, in the transaction that inserts the new one. */
export interface TemplateCopier {
  readonly item: TemplateItem
  copy(tx: Tx, copy: TemplateCopy): Promise<void>
}
