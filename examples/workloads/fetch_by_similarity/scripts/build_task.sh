#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Write the nine executables that the harness looks for: each is a stage of stages.py. PYTHON names an interpreter
# with nttforge.
set -e
cd "$(dirname "$0")/../submission"
mkdir -p build
for stage in client_preprocess_dataset client_key_generation client_encode_encrypt_db server_preprocess_dataset \
             client_preprocess_query client_encode_encrypt_query server_encrypted_compute client_decrypt_decode \
             client_postprocess; do
  printf '#!/bin/sh\nexec %s "%s/stages.py" %s "$@"\n' "${PYTHON:-python3}" "$PWD" "$stage" > "build/$stage"
  chmod +x "build/$stage"
done
