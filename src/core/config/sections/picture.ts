import { Type } from '@sinclair/typebox'

export const pictureSection = Type.Object(
  {
    avatar_max_width: Type.Integer({
      default: 4096,
      minimum: 1,
      maximum: 16_384,
      description: 'Most pixels of an uploaded image in a row.',
    }),
    avatar_max_height: Type.Integer({
      default: 4096,
      minimum: 1,
      maximum: 16_384,
      description: 'Most pixels of an uploaded image in a column.',
    }),
    avatar_max_file_size: Type.Integer({
      default: 1024 * 1024,
      minimum: 1024,
      description: 'Largest uploaded image of a user, an organization or a repository, in bytes.',
    }),
    avatar_max_origin_size: Type.Integer({
      default: 256 * 1024,
      minimum: 0,
      description: 'Images up to this size in bytes are kept as they came; larger ones are scaled.',
    }),
    avatar_rendered_size: Type.Integer({
      default: 512,
      minimum: 16,
      maximum: 2048,
      description: 'Pixels of each side of a scaled image.',
    }),
  },
  { additionalProperties: false, description: 'Images of users, organizations and repositories.' },
)
