// The files of a mind that people write: the list, one file, and saving it.
import { Problem, raw } from "./client";

export interface JournalFile {
  path: string;
  name: string;
  kind: string;
  /** The day in its name. */
  date: string | null;
  bytes: number;
  changed_at: string;
  is_editable: boolean;
}

export interface FileText {
  text: string;
  etag: string;
}

const FILE = "/v1/minds/{mind_id}/journal/file";

/** All files; null where the service does not list them. Raises Problem. */
export async function filesOf(mind: string): Promise<readonly JournalFile[] | null> {
  try {
    const answer = await raw("get", "/v1/minds/{mind_id}/journal", { path: { mind_id: mind } });
    return ((await answer.json()) as { files: JournalFile[] }).files;
  } catch (error) {
    if (error instanceof Problem && [404, 405].includes(error.status)) return null;
    throw error;
  }
}

/** A file; its etag is empty where the service tells none. Raises Problem. */
export async function fileOf(mind: string, path: string): Promise<FileText> {
  const answer = await raw("get", FILE, { path: { mind_id: mind }, query: { path } } as object);
  const { text } = (await answer.json()) as { text: string };
  return { text, etag: answer.headers.get("ETag") ?? "" };
}

/** Put *text* in the place of the file whose etag is *etag*. Raises Problem. */
export async function saveFile(mind: string, path: string, { text, etag }: FileText): Promise<FileText> {
  const asked = { path: { mind_id: mind }, query: { path }, body: { text }, headers: { "If-Match": etag } };
  const answer = await raw("put", FILE, asked as object);
  return { text, etag: answer.headers.get("ETag") ?? (await fileOf(mind, path)).etag };
}
