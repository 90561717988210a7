# cmake --install build/release [--prefix /usr]: the program, its systemd unit, and what to read.
include(GNUInstallDirs)
install(TARGETS graspd RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Where only the program is built (deploy/Dockerfile), there is nothing else to install.
if(EXISTS ${CMAKE_SOURCE_DIR}/deploy/graspd.service)
  file(READ ${CMAKE_SOURCE_DIR}/deploy/graspd.service graspd_unit)
  string(REPLACE "/usr/local/bin/graspd" "${CMAKE_INSTALL_FULL_BINDIR}/graspd" graspd_unit "${graspd_unit}")
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/deploy/graspd.service CONTENT "${graspd_unit}")
  install(FILES ${CMAKE_BINARY_DIR}/deploy/graspd.service DESTINATION lib/systemd/system)
  install(FILES deploy/graspd.env README.md CHANGELOG.md LICENSE SECURITY.md
          DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN design EXCLUDE
          PATTERN decisions EXCLUDE)
endif()
