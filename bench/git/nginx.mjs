// The usual way to serve git over HTTP, to be compared with: nginx, fcgiwrap, git http-backend.
import { spawn } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { request, until } from '../../e2e/helpers/harness.mjs';

const config = (directory, port, repositories) => `
${process.getuid() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 2;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location / {
      fastcgi_pass unix:${directory}/fcgi.sock;
      fastcgi_buffering off;
      fastcgi_param SCRIPT_FILENAME /usr/lib/git-core/git-http-backend;
      fastcgi_param GIT_PROJECT_ROOT ${repositories};
      fastcgi_param GIT_HTTP_EXPORT_ALL 1;
      fastcgi_param PATH_INFO $uri;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
      fastcgi_param HTTP_CONTENT_ENCODING $http_content_encoding;
      fastcgi_param GIT_PROTOCOL $http_git_protocol;
      fastcgi_param GIT_CONFIG_COUNT 1;
      fastcgi_param GIT_CONFIG_KEY_0 safe.directory;
      fastcgi_param GIT_CONFIG_VALUE_0 *;
    }
  }
}
`;

// Serves the folder at http://127.0.0.1:<port>/; returns what stops it.
export async function startNginx(directory, port, repositories) {
  await mkdir(directory, { recursive: true });
  await writeFile(path.join(directory, 'nginx.conf'), config(directory, port, repositories));
  // Both fork: each is the leader of a group, and goes with all of it.
  const options = { stdio: 'ignore', detached: true };
  const fcgi = spawn('fcgiwrap', ['-c', '4', '-s', `unix:${directory}/fcgi.sock`], options);
  const socket = path.join(directory, 'fcgi.sock');
  await until(() => access(socket).then(() => true).catch(() => false), 'fcgiwrap');
  const nginx = spawn('nginx', ['-c', path.join(directory, 'nginx.conf'), '-p', directory], options);
  await until(() => request(`http://127.0.0.1:${port}/`).then(() => true).catch(() => false), 'nginx');
  return () => [nginx, fcgi].forEach((child) => process.kill(-child.pid, 'SIGTERM'));
}
