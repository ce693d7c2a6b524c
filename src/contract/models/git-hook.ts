import { Type } from '@sinclair/typebox'

/** A script that git itself runs in a repository. */
export const GitHook = Type.Object({ name: Type.String(), is_active: Type.Boolean(), content: Type.String() }, { $id: 'GitHook' })

export const EditGitHookOption = Type.Object({ content: Type.Optional(Type.String()) }, { $id: 'EditGitHookOption' })
