export interface AvatarTable {
  /** The hash in the URL of the image. */
  hash: string
  /** The stored bytes. */
  blob: string
  media_type: string
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    avatar: AvatarTable
  }
}
