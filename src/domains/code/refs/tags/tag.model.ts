import { Type, type Static } from '@sinclair/typebox'
import { PATH_LENGTH, TEXT_LENGTH } from '../../../../core/http/body/limits.ts'
import { GitRefName } from '../../../../core/http/answer/text.ts'
import { TagArchiveDownloadCount } from '../../archives/archive.model.ts'
import { CommitMeta, CommitUser, PayloadCommitVerification } from '../../history/commit.model.ts'

export const Tag = Type.Object(
  {
    name: Type.String(),
    message: Type.String(),
    id: Type.String(),
    commit: CommitMeta,
    zipball_url: Type.String(),
    tarball_url: Type.String(),
    archive_download_count: TagArchiveDownloadCount,
  },
  { $id: 'Tag' },
)
export type Tag = Static<typeof Tag>

const AnnotatedTagObject = Type.Object(
  { type: Type.String(), url: Type.String(), sha: Type.String() },
  { $id: 'AnnotatedTagObject' },
)

export const AnnotatedTag = Type.Object(
  {
    tag: Type.String(),
    sha: Type.String(),
    url: Type.String(),
    message: Type.String(),
    tagger: CommitUser,
    object: AnnotatedTagObject,
    verification: PayloadCommitVerification,
    archive_download_count: TagArchiveDownloadCount,
  },
  { $id: 'AnnotatedTag' },
)
export type AnnotatedTag = Static<typeof AnnotatedTag>

export const CreateTagOption = Type.Object(
  {
    tag_name: GitRefName({ maxLength: 250 }),
    message: Type.Optional(Type.String({ maxLength: TEXT_LENGTH, description: 'Makes an annotated tag' })),
    target: Type.Optional(
      Type.String({ maxLength: PATH_LENGTH, description: 'Branch, tag or commit (default: the default branch)' }),
    ),
  },
  { $id: 'CreateTagOption' },
)
export type CreateTagOption = Static<typeof CreateTagOption>
