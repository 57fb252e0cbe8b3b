// Saves a file of the API on the computer of the user.
import { parley } from '../session/client.ts';

/** Saved as bytes: the page never displays the file, whatever type it claims to be. */
export async function saveFile(path: string, filename: string): Promise<void> {
  const response = await parley.request('GET', path);
  save(await response.arrayBuffer(), nameIn(response) ?? filename);
}

export const saveText = (text: string, filename: string): void => save(text, filename);

function save(content: BlobPart, filename: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function nameIn(response: Response): string | null {
  const header = response.headers.get('content-disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1];
  return encoded ? decodeURIComponent(encoded) : (/filename="([^"]+)"/i.exec(header)?.[1] ?? null);
}
