import { Type } from '@sinclair/typebox'

export const searchSection = Type.Object(
  {
    code_enabled: Type.Boolean({
      default: false,
      description:
        'Index the files of default branches and answer searches in them. On PostgreSQL this needs the extension pg_trgm.',
    }),
    max_file_size: Type.Integer({
      default: 1024,
      minimum: 1,
      maximum: 16384,
      description: 'Maximum size of an indexed file, in KiB.',
    }),
    max_total_size: Type.Integer({
      default: 10240,
      minimum: 1,
      description: 'Maximum size of all indexed texts, in MiB; the index takes about half of it on disk.',
    }),
  },
  { additionalProperties: false, description: 'Code search.' },
)
