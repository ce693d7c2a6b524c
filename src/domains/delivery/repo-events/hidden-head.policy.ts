interface ShownRepo {
  readonly id: number
  readonly private: boolean
  readonly internal: boolean
  readonly owner: { readonly visibility: string }
}

interface WithPull {
  readonly pull_request?: {
    readonly base: { readonly repo: ShownRepo }
    readonly head: { readonly repo: ShownRepo | null }
  }
}

/**
 * The payload of a webhook without the repository that a pull request comes from, unless anyone may see that: who reads
 * the stream of a repository may not read every fork of it.
 */
export function withoutHiddenHead(payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { pull_request: pull } = payload as WithPull
  const head = pull?.head.repo
  if (!head || head.id === pull.base.repo.id || isPublic(head)) return payload
  return { ...payload, pull_request: { ...pull, head: { ...pull.head, repo: null } } }
}

const isPublic = (repo: ShownRepo): boolean => !repo.private && !repo.internal && repo.owner.visibility === 'public'
